"""What a submission may take."""

CELL_SECONDS = 20.0  # of CPU time, for one cell
