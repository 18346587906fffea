"""The instructor's side: exercises, build, sandbox, judge, gradebook. None of it is ever shown to student code."""
