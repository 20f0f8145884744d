"""Where slices of queries run: here, in threads, or wherever a backend puts them."""

from sklazy.backends.slices import Backend, Slice, current_backend, use_backend
from sklazy.backends.threads import (
    WORTH_WORKERS,
    count_workers,
    run_chunks,
    share_out,
)

__all__ = [
    "WORTH_WORKERS",
    "Backend",
    "Slice",
    "count_workers",
    "current_backend",
    "run_chunks",
    "share_out",
    "use_backend",
]
