"""Reports for teachers: tables for a terminal, and pages that need no network."""
