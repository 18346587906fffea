"""From masters to lessons: notebooks/ to source/ to release/."""
