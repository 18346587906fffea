"""Masters to lessons: notebooks/ to source/ to release/."""
