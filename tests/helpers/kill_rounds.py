"""A child that tells what it changes is killed at some moment; what may be there then.

It tells ``{"begin": ...}`` before a change and ``{"done": true}`` when it is done.
"""

import json
import os
import select
import signal
import time


def kill_child(work, seconds, *, waits):
    """Fork, let ``work(tell)`` run for some seconds, kill it; the events it told.

    The seconds begin with the first event if they are waited for.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            work(lambda event: os.write(write, json.dumps(event).encode() + b"\n"))
        finally:
            os._exit(1)
    os.close(write)
    if waits:
        select.select([read], [], [], 60)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(read, "rb") as pipe:
        return [json.loads(line) for line in pipe.read().splitlines()]


def changed(rows, event):
    """The rows after a change."""
    given = {one: tuple(row) for one, row in event.get("rows", {}).items()}
    if event["begin"] == "save":  # whatever there was
        return given
    if event["begin"] == "add":
        return rows | given
    gone = event.get("ids", ())
    return {one: row for one, row in rows.items() if one not in gone}


def possible_rows(rows, events):
    """The rows that may be there after some events, and how many changes were done.

    Those of all changes told to be done, and of each that was only begun.
    """
    n_done, begun = 0, []
    for event in events:
        if "begin" in event:
            begun.append(event)
            continue
        for change in begun:
            rows = changed(rows, change)
        begun, n_done = [], n_done + 1
    possible = [rows]
    for change in begun:
        possible.append(changed(possible[-1], change))
    return possible, n_done
