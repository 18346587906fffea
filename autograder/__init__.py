"""The instructor's side: exercises, build, sandbox, judge, gradebook. Student code never sees any of it."""
