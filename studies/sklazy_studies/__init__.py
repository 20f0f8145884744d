"""The papers' experiments, and our own studies: `sklazy reproduce`."""
