"""What a student imports: one concept a file.

Nothing is imported here, so that `import helpers` costs nothing and a lesson loads only what it names.
"""
