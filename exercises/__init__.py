"""The exercises: a package for each topic, in it a module for each exercise."""
