"""An answer as plain, serialisable, replayable data."""
