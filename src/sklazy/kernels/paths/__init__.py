"""Compiled: the path of a query through a tree that is grown for it."""
