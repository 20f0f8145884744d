"""The processes of a server that a test has started, and the bytes in their memory."""

from pathlib import Path


def children_of(pid):
    """The processes that a process has started."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def find_in_memory(pid, patterns):
    """Those of some bytes that are anywhere in the memory of a process."""
    found = set()
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, rights, *_, name = [*line.split(maxsplit=5), ""]
            if "r" not in rights or "[v" in name:
                continue
            first, last = (int(one, 16) for one in span.split("-"))
            try:
                memory.seek(first)
                part = memory.read(last - first)
            except (OSError, ValueError, OverflowError):
                continue
            found |= {one for one in patterns if one in part}
    return found


def find_in_files(folder, patterns):
    """Those of some bytes that are in any file of a folder, by file."""
    files = [path for path in sorted(Path(folder).rglob("*")) if path.is_file()]
    return {
        (path.name, one)
        for path in files
        for one in patterns
        if one in path.read_bytes()
    }
