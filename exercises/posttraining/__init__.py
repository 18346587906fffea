"""The exercises of lesson 13, Posttraining."""
