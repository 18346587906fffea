"""Notebooks of other courses, made into first specs of exercises."""
