"""`python -m autograder` is `headstart`."""

from autograder.commands.cli import main

raise SystemExit(main())
