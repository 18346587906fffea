"""Answers to tasks that courses share, tried on this project's checks and on other courses' tests."""
