"""The only door to scikit-learn's private names. It is shut: none is needed yet."""
