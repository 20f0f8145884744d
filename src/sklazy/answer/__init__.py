"""The flow, top to bottom: the one room that knows the order of the steps."""
