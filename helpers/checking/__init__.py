"""How an answer is called, compared and explained. `helpers.checks` is the door."""
