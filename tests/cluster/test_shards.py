"""Parts held by an engine that loses them, is slow, or fails: no Dask here."""

import contextlib
import itertools
import pickle
import threading
import time
import weakref

import numpy as np
import pytest

from losing_engine import Answer, Clock, elsewhere
from sklazy import BadInputError, LazyKNeighborsClassifier, LostPartError
from sklazy.casebase.parted import PartedBase
from sklazy.dask import shards
from sklazy.dask.shards import PartGone, Shards

X = np.array([[i % 3, i % 4, i % 2] for i in range(24)])
y = np.array([i % 2 for i in range(24)])
NEW, NEW_CLASSES = [[2, 3, 5], [0, 1, 7]], [1, 0]


@pytest.fixture
def models():
    def model():
        return LazyKNeighborsClassifier(3, 2, categorical_features=[0, 1, 2])

    return elsewhere(model, X, y)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(shards, "time", clock)
    return clock


def same(one, other):
    assert one.digest() == other.digest()
    assert one.predict_proba(X).tobytes() == other.predict_proba(X).tobytes()
    assert one.loo_predict([0, 5]).tolist() == other.loo_predict([0, 5]).tolist()
    assert sorted(one.ids_) == sorted(other.ids_)


def raising(error):
    def act():
        raise error

    return act


def test_parts_elsewhere_answer_alike(models):
    one, other, _ = models
    same(one, other)


# --- lost parts -----------------------------------------------------------------------


def test_a_lost_part_is_made_anew_with_all_its_changes(models):
    one, other, engine = models
    for model in models[:2]:
        model.cases_.digest()
    for model in (one, other):
        model.partial_fit(NEW, NEW_CLASSES)
        model.forget([2, 9, 25])
    same(one, other)
    for lost in itertools.chain([0], [1, 2]):
        engine.gone.add(lost)
    same(one, other)
    assert engine.n_started == 6


@pytest.mark.parametrize("classes", [[1, 0], [1, 5], [-1, 0]])
def test_a_part_lost_right_after_new_labels_keeps_them(models, classes):
    one, other, engine = models
    same(one, other)
    for model in (one, other):
        model.partial_fit(NEW, classes)
    engine.gone.add(2)
    same(one, other)


def test_the_journal_has_one_adoption_of_a_kind(models):
    one, other, engine = models
    for more in range(3):
        for model in (one, other):
            model.partial_fit([[more, 8, 9]], [more])
        same(one, other)
    names = [step.function.__name__ for step in other.cases_.parts.journal.steps[2]]
    assert names == [
        "check_fingerprint",
        *["enter_rows"] * 3,
        "adopt_labels",
        "adopt_frame",
    ]
    engine.gone.add(2)
    same(one, other)


def test_erased_rows_are_not_in_the_journal(models):
    one, other, engine = models
    for model in (one, other):
        model.partial_fit(
            [[2, 3, 5], [1, 2, 1], [1, 3, 0]], [9, 1, 0], ids=[77, 78, 79]
        )
        model.forget([77])
    steps = other.cases_.parts.journal.steps[2]
    ((labels, batch),) = [
        s.arguments for s in steps if s.function.__name__ == "enter_rows"
    ]
    assert batch.ids.tolist() == [77, 78, 79]
    assert batch.codes.tolist() == [[-1, 0, 0], [-1, 0, 1], [-1, 1, 0]]
    assert batch.classes.tolist() == [-1, 1, 0]
    assert labels == {0: [1], 1: [2, 3], 2: [0, 1], -1: [0, 1]}
    engine.gone.add(2)  # nobody has asked yet what is common to all now
    same(one, other)
    for model in (one, other):
        model.forget([78, 79])
    engine.gone.add(2)
    same(one, other)


@pytest.mark.parametrize(
    ("added", "erased"),
    [([["a1", "b1"]], [0, 1]), ([["secret", "b1"]], [0, 1, 24])],
    ids=["of rows in other parts", "of all rows that came at once"],
)
def test_labels_of_erased_rows_are_not_in_the_journal(added, erased):
    rows = [[f"a{i % 3}", f"b{i % 4}"] for i in range(24)]
    classes = [f"c{i % 2}" for i in range(24)]
    rows[0][0] = classes[1] = "secret"
    fitted = elsewhere(lambda: LazyKNeighborsClassifier(3, 2), rows, classes)
    one, other, engine = fitted
    for model in (one, other):
        model.partial_fit(added, ["c1" if 24 not in erased else "a secret"])
        model.forget(erased)
    assert other.digest() == one.digest()
    assert b"secret" not in pickle.dumps(other.cases_.parts.journal.steps)
    engine.gone |= {0, 1, 2}
    assert other.predict_proba(rows).tobytes() == one.predict_proba(rows).tobytes()
    assert other.digest() == one.digest()


def test_rows_lie_where_they_lay_in_a_part_made_anew(models):
    """A question of several rounds names rows by their places."""
    _, other, engine = models
    other.partial_fit([[i % 3, 3, 5] for i in range(6)], [1, 0] * 3)
    other.forget([25, 3, 17])
    other.forget([27])
    ids = [part.ids.tolist() for part in other.cases_.parts.ask(lambda part: part)]
    engine.gone |= {0, 1, 2}
    again = [part.ids.tolist() for part in other.cases_.parts.ask(lambda part: part)]
    assert again == ids


def test_a_part_that_is_lost_while_rows_come_or_go_takes_them_in(models):
    one, other, engine = models
    same(one, other)
    losing = {"enter_rows", "leave_all"}

    def fault(number, name):
        if name in losing:
            losing.remove(name)
            engine.gone.add(number)
        return None, None

    engine.fault = fault
    for model in (one, other):
        model.partial_fit(NEW, NEW_CLASSES)
        model.forget([2, 9])
    assert engine.n_started == 5
    same(one, other)


@pytest.mark.parametrize("n_losses", [1, 3])
@pytest.mark.usefixtures("clock")
def test_a_part_that_is_lost_again_while_it_is_made_anew(models, n_losses):
    one, other, engine = models
    same(one, other)
    losses = iter(range(n_losses))

    def fault(number, name):
        if name == "adopt_labels" and next(losses, None) is not None:
            engine.gone.add(number)
        return None, None

    engine.fault = fault
    engine.gone.add(1)
    same(one, other)
    assert engine.n_started == 4 + n_losses


@pytest.mark.usefixtures("clock")
def test_a_part_that_is_lost_for_ever_is_given_up(models):
    one, other, engine = models
    same(one, other)
    engine.gone.add(1)
    engine.fault = lambda number, name: (lambda: engine.gone.add(1), None)
    with pytest.raises(LostPartError, match="part 1 has not answered"):
        other.predict(X[:1])
    engine.fault = lambda number, name: (None, None)
    same(one, other)


@pytest.mark.usefixtures("clock")
def test_a_holder_that_has_lost_its_part_where_it_is_said_to_be(models, monkeypatch):
    """A worker that was started again at the same address knows nothing of it."""
    one, other, engine = models
    monkeypatch.setattr(other.cases_.parts, "timeout", 5.0)
    same(one, other)
    monkeypatch.setattr(engine, "is_alive", lambda number: True)
    engine.gone.add(1)
    same(one, other)
    assert engine.n_started == 4


def test_a_source_that_cannot_be_read_again_is_named(models, monkeypatch):
    one, other, engine = models
    same(one, other)
    monkeypatch.setattr(engine, "start", lambda number: raising(FileNotFoundError)())
    engine.gone.add(0)
    with pytest.raises(LostPartError, match=r"part 0 .* source cannot be read again"):
        other.predict(X[:1])
    monkeypatch.undo()
    same(one, other)


def test_a_part_is_made_anew_by_one_thread_at_a_time(models, monkeypatch):
    one, other, engine = models
    monkeypatch.setattr(other.cases_.parts, "timeout", 60.0)
    same(one, other)
    start, expected = engine.start, one.predict_proba(X).tolist()

    def slow(number):
        time.sleep(0.05)
        start(number)

    monkeypatch.setattr(engine, "start", slow)
    found, begin = [], threading.Barrier(4)

    def ask():
        begin.wait()
        found.append(other.predict_proba(X).tolist())

    engine.gone.add(1)
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4
    assert engine.n_started == 4


class StoppingLock:
    """A lock whose owner is interrupted as soon as it is had."""

    def __init__(self, lock):
        self.acquire_it, self.release = lock.acquire, lock.release

    def acquire(self, timeout):
        self.acquire_it(timeout=timeout)
        raise KeyboardInterrupt


def test_an_interrupt_of_who_makes_a_part_anew_keeps_nobody_from_it(
    models, monkeypatch
):
    one, other, engine = models
    same(one, other)
    monkeypatch.setattr(other.cases_.parts, "timeout", 60.0)
    upkeep = other.cases_.parts.upkeep[1]
    engine.gone.add(1)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(upkeep, "_lock", StoppingLock(upkeep._lock))
        other.predict(X)
    found = []
    thread = threading.Thread(
        target=lambda: found.append(other.predict_proba(X).tobytes()), daemon=True
    )
    thread.start()
    thread.join(10)
    assert found == [one.predict_proba(X).tobytes()]


# --- changes, all or nothing ----------------------------------------------------------


def test_a_change_that_fails_in_one_part_is_taken_back_in_all(models):
    one, other, engine = models
    same(one, other)
    engine.fails_at = 2, "change"
    with pytest.raises(MemoryError):
        other.forget([1, 9, 20])
    engine.fails_at = None
    same(one, other)
    other.forget([1, 9, 20])
    one.forget([1, 9, 20])
    same(one, other)


def test_rows_that_were_not_forgotten_after_all_are_not_lost(models):
    one, other, engine = models
    for model in (one, other):
        model.partial_fit(NEW, NEW_CLASSES)
    same(one, other)
    engine.fails_at = 2, "change"
    with pytest.raises(MemoryError):
        other.forget([25])
    engine.fails_at = None
    engine.gone.add(2)
    same(one, other)


@pytest.mark.parametrize("lost", ["before", "after"])
def test_a_change_whose_answer_is_lost_is_made_once(models, lost):
    """The engine still takes the holder for alive, so it is asked a second time."""
    one, other, engine = models
    cut_off = {"enter_rows", "leave_all"}

    def fault(number, name):
        if name not in cut_off:
            return None, None
        cut_off.remove(name)
        act = raising(PartGone)
        return (act, None) if lost == "before" else (None, act)

    engine.fault = fault
    for model in (one, other):
        model.partial_fit(NEW, NEW_CLASSES)
        model.forget([2, 9])
    assert not cut_off
    same(one, other)
    assert engine.n_started == 3


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    "what", ["enter_rows", "leave_all", "adopt_labels", "adopt_frame"]
)
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("is_silent", [False, True])
def test_an_interrupted_change_leaves_the_state_before(models, what, when, is_silent):
    one, other, engine = models
    same(one, other)

    def stop():
        if is_silent:
            shards.time.sleep(1)
            raise TimeoutError
        raise KeyboardInterrupt

    def fault(number, name):
        act = stop if (number, name) == (2, what) else None
        return (act, None) if when == "before" else (None, act)

    def change(model):
        model.partial_fit(NEW, [1, 5])
        model.forget([1, 20])
        model.predict(X)

    engine.fault = fault
    with pytest.raises(LostPartError if is_silent else KeyboardInterrupt):
        change(other)
    engine.fault = lambda number, name: (None, None)
    if what != "enter_rows":  # a question brings all parts in line before rows go
        one.partial_fit(NEW, [1, 5])
    same(one, other)
    for model in (one, other):
        model.partial_fit(NEW, NEW_CLASSES)
    same(one, other)


def test_an_interrupted_question_makes_no_part_anew(models):
    one, other, engine = models
    engine.fault = lambda number, name: (
        None,
        raising(KeyboardInterrupt) if (number, name) == (1, "adopt_frame") else None,
    )
    with pytest.raises(KeyboardInterrupt):
        other.predict(X)
    engine.fault = lambda number, name: (None, None)
    same(one, other)
    assert engine.n_started == 3


@pytest.mark.parametrize("are_here", [False, True])
@pytest.mark.parametrize("change", ["add", "forget"])
def test_an_interrupt_right_after_the_parts_have_changed_loses_nothing(
    models, change, are_here, monkeypatch
):
    one, other, _ = models
    if are_here:
        other.cases_ = PartedBase.cut(other.cases_.joined(), np.arange(24) // 8, 3)
    same(one, other)

    def make(model):
        if change == "add":
            model.partial_fit(NEW, [1, 5])
        else:
            model.forget([1, 20])

    monkeypatch.setattr(
        PartedBase, "_changed", lambda own, hashes: raising(KeyboardInterrupt)()
    )
    with pytest.raises(KeyboardInterrupt):
        make(other)
    monkeypatch.undo()
    make(one)
    same(one, other)
    for model in (one, other):
        model.partial_fit(NEW, NEW_CLASSES)
        model.forget([2, 24 if change == "forget" else 26])
    same(one, other)


def test_a_column_that_would_change_its_kind_is_refused():
    rows = [["a", 1.0], ["b", 2.0], [None, 3.0], [None, 4.0], ["a", 5.0], [None, 6.0]]
    y = [0, 1, 0, 1, 0, 1]
    one, other, _ = elsewhere(lambda: LazyKNeighborsClassifier(1), rows, y)
    digest = one.digest()
    with pytest.raises(BadInputError, match="gather"):
        other.forget([0, 1, 4])
    assert other.digest() == digest
    assert not other.cases_.parts.are_here
    rows = [[None, number] for _, number in rows]
    one, other, _ = elsewhere(lambda: LazyKNeighborsClassifier(1), rows, y)
    with pytest.raises(BadInputError, match=r"'x0'.*gather"):
        other.partial_fit([["a", 1.0]], [0])
    assert other.digest() == one.digest()
    assert sorted(other.ids_) == sorted(one.ids_)


# --- no answer ------------------------------------------------------------------------


def test_nobody_waits_for_ever(models, monkeypatch):
    _, other, engine = models
    other.predict(X)
    monkeypatch.setattr(shards, "_LOOK_AFTER", 0.01)
    monkeypatch.setattr(engine, "call", lambda *_: Answer(raising(TimeoutError)))
    with pytest.raises(
        LostPartError, match=r"part 0 has not answered for 0\.2 seconds"
    ):
        other.predict(X[:1])


@pytest.mark.parametrize(
    ("at_work", "is_waited_for"),
    [((70.0, 10.0), True), ((70.0, 1.0), False), ((70.0, 61.0), False), (None, False)],
    ids=["little time", "it waits", "too long", "not at work"],
)
def test_a_part_at_work_is_waited_for_by_its_processor(clock, at_work, is_waited_for):
    _, other, engine = elsewhere(
        lambda: LazyKNeighborsClassifier(3, 2), X, y, timeout=60
    )
    expected = other.predict(X).tolist()
    waits = [25] * 5

    def wait():
        if waits:
            clock.sleep(waits.pop())
            raise TimeoutError

    engine.fault = lambda number, name: (wait if number == 0 else None, None)
    engine.at_work = at_work
    if is_waited_for:
        assert other.predict(X).tolist() == expected
        assert clock.now >= 125
    else:
        with pytest.raises(LostPartError, match="part 0 has not answered for 60 sec"):
            other.predict(X)


@pytest.mark.usefixtures("clock")
def test_nobody_waits_for_ever_for_a_part_made_anew(models):
    one, other, engine = models
    same(one, other)

    def sleep():
        shards.time.sleep(1)
        raise TimeoutError

    engine.fault = lambda number, name: (
        sleep if name == "check_fingerprint" else None,
        None,
    )
    engine.gone.add(1)
    with pytest.raises(LostPartError, match="part 1 has not answered"):
        other.predict(X[:1])
    engine.fault = lambda number, name: (None, None)
    same(one, other)


# --- states ---------------------------------------------------------------------------


def test_questions_get_one_state_while_rows_come(models):
    one, other, _ = models
    before = one.predict_proba(X).tolist()
    with other.cases_.snapshot() as cases:
        other.partial_fit([[2, 3, 1]] * 5, [1] * 5)
        found = other._answer_by(cases, X, "probabilities")[0]
    assert found.tolist() == before


def test_states_stay_over_several_changes(models):
    """Those of parts, too, that did not change, but whose labels and places did."""
    one, other, _ = models
    answers, digests, states = [], [], []
    for more in range(4):
        answers.append(one.predict_proba(X).tolist())
        digests.append(one.digest())
        states.append(other.cases_.snapshot())
        states[-1].__enter__()
        for model in (one, other):
            model.partial_fit([[-more, 3, 9 + more]], [-more])
            model.forget([more, 23 - more])
        same(one, other)
    for state, answer, digest in zip(states, answers, digests, strict=True):
        cases = state._state
        assert other._answer_by(cases, X, "probabilities")[0].tolist() == answer
        assert cases.digest() == digest
        state.__exit__(None, None, None)
    same(one, other)


def test_a_state_stays_where_the_change_that_would_have_it_kept_is_stopped(models):
    one, other, engine = models
    before = one.predict_proba(X).tolist()
    with other.cases_.snapshot() as cases:
        engine.fault = lambda number, name: (
            raising(KeyboardInterrupt) if (number, name) == (1, "keep") else None,
            None,
        )
        with pytest.raises(KeyboardInterrupt):
            other.forget([3])
        engine.fault = lambda number, name: (None, None)
        for model in (one, other):
            model.forget([3, 12])
        assert other._answer_by(cases, X, "probabilities")[0].tolist() == before
    assert not any(holder.kept for holder in engine.holders.values())
    same(one, other)


@pytest.mark.parametrize("part", [0, 1, 2])
@pytest.mark.parametrize("is_before", [True, False])
def test_a_state_is_dropped_whose_last_reader_leaves_while_it_is_kept(
    models, part, is_before
):
    one, other, engine = models
    leaving = contextlib.ExitStack()
    leaving.enter_context(other.cases_.snapshot())

    def leave(number, name):
        act = leaving.close if (number, name) == (part, "keep") else None
        return (act, None) if is_before else (None, act)

    engine.fault = leave
    for model in (one, other):
        model.forget([3])
    assert not any(holder.kept for holder in engine.holders.values())
    same(one, other)


def test_no_state_outlives_a_row_that_is_forgotten_though_keeping_it_had_failed(models):
    one, other, engine = models
    with other.cases_.snapshot():
        engine.fault = lambda number, name: (
            raising(KeyboardInterrupt) if (number, name) == (1, "keep") else None,
            None,
        )
        with pytest.raises(KeyboardInterrupt):
            other.forget([3])
        assert engine.holders[0].kept
    engine.fault = lambda number, name: (None, None)
    for model in (one, other):
        model.forget([3])
    assert not engine.holders[0].kept
    same(one, other)


def test_no_state_outlives_the_next_question_though_dropping_it_had_failed(models):
    one, other, engine = models
    leaving = contextlib.ExitStack()
    leaving.enter_context(other.cases_.snapshot())
    for model in (one, other):
        model.forget([3, 12])
    engine.fault = lambda number, name: (
        raising(KeyboardInterrupt) if name == "drop" else None,
        None,
    )
    with pytest.raises(KeyboardInterrupt):
        leaving.close()
    assert engine.holders[0].kept
    engine.fault = lambda number, name: (None, None)
    same(one, other)
    assert not any(holder.kept for holder in engine.holders.values())


def test_states_are_dropped_with_their_last_reader(models):
    _, other, engine = models
    with other.cases_.snapshot():
        with other.cases_.snapshot():
            other.forget([3])
        kept = [*engine.holders[0].kept.values()]
        assert len(kept) == 1
        arrays = [weakref.ref(own.rows.codes) for own in kept]
        del kept
        with other.cases_.snapshot():
            other.forget([4])
        assert len(engine.holders[0].kept) == 1
    assert all(not holder.kept for holder in engine.holders.values())
    assert [array() for array in arrays] == [None]


def test_threads_get_one_state_each_while_rows_come_and_go_and_parts_are_lost(
    models, monkeypatch
):
    one, other, engine = models
    monkeypatch.setattr(other.cases_.parts, "timeout", 60.0)
    monkeypatch.setattr(shards, "_ASK_AGAIN", 0.001)
    valid, is_over = {one.predict_proba(X).tobytes()}, threading.Event()
    found, refused = [], set()

    def read():
        while not is_over.is_set():
            try:
                found.append(other.predict_proba(X).tobytes())
            except LostPartError as error:
                refused.add(str(error)[-10:])

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        for more in range(30):
            for model in (one, other):
                model.partial_fit([[more % 5, 3, -more]], [more % 3])
                valid.add(one.predict_proba(X).tobytes())
                model.forget([more if more % 2 else 24 + more])
            valid.add(one.predict_proba(X).tobytes())
            engine.gone.add(more % 3)
    finally:
        is_over.set()
        for reader in readers:
            reader.join()
    assert refused <= {"e request."}
    assert len(set(found)) > 1
    assert set(found) <= valid
    same(one, other)
    assert not any(holder.kept for holder in engine.holders.values())


def test_a_state_whose_part_is_lost_is_refused_but_no_other(models):
    one, other, engine = models
    with other.cases_.snapshot() as cases:
        other.forget([3])
        engine.gone.add(0)
        with pytest.raises(LostPartError, match="repeat the request"):
            other._answer_by(cases, X + 0, "probabilities")
    one.forget([3])
    same(one, other)


def test_a_second_writer_is_refused(models):
    one, other, engine = models
    same(one, other)
    second = PartedBase(one.cases_, Shards(engine, 3, timeout=0.2), [8, 8, 8])
    with pytest.raises(LostPartError, match="Only one model may change"):
        second.digest()
    same(one, other)


# --- sources --------------------------------------------------------------------------


def test_a_source_that_gives_fewer_rows_than_were_counted_is_refused(models):
    one, _, engine = models
    parts = Shards(engine, 3, timeout=0.2)
    other = PartedBase(one.cases_, parts, [8, 9, 8])
    with pytest.raises(LostPartError, match=r"part 1 has 8 rows.*persist"):
        other.digest()


@pytest.mark.parametrize("change", ["a row less", "another order", "another value"])
def test_a_source_that_gives_other_rows_is_refused(models, change):
    one, other, engine = models
    same(one, other)
    make = engine.make

    def other_rows(number):
        part = make(number)
        if change == "a row less":
            part._leave(np.array([3]))
        elif change == "another order":
            part.rows.codes[:, :2] = part.rows.codes[:, [1, 0]]
        else:
            part.rows.codes[2, 1] = 1 - part.rows.codes[2, 1]
        return part

    engine.make = other_rows
    engine.gone.add(1)
    for _ in range(2):
        with pytest.raises(LostPartError, match=r"part 1 has other rows.*persist"):
            other.predict(X[:1])
    engine.make = make
    same(one, other)
