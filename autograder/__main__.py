"""`python -m autograder` is `headstart`."""

from autograder.cli import main

raise SystemExit(main())
