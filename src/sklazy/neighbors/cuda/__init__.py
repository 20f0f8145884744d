"""Searches on a device, with the answers of those beside them to the last digit."""
