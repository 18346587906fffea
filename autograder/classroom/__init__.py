"""What speaks nbgrader: gradebook, exchange, feedback, pages and exports."""
