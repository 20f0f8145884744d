"""The lazy decision tree."""
