"""Whether lazy selection pays on a data set."""
