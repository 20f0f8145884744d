"""What can be shown: the demo, and the three papers' protocols."""
