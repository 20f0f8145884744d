"""The demo, and the experiments of the three papers."""
