"""Parts held by an engine that loses them, is slow, or fails: no Dask here."""

import itertools

import numpy as np
import pytest

from sklazy import LazyKNeighborsClassifier, LostPartError
from sklazy.backends import shards
from sklazy.backends.shards import Holder, PartGone, Shards
from sklazy.casebase.parted import PartedBase

X = np.array([[i % 3, i % 4, i % 2] for i in range(24)])
y = np.array([i % 2 for i in range(24)])


class Answer:
    def __init__(self, call):
        self.call = call

    def result(self, timeout):
        return self.call()


class Engine:
    """Holders in this process; a test says which are gone, and who raises."""

    def __init__(self, make):
        self.make, self.holders, self.gone = make, {}, set()
        self.n_started, self.fails_at = 0, None

    def start(self, number):
        self.n_started += 1
        self.gone.discard(number)
        self.holders[number] = Holder(self.make(number))

    def call(self, number, method, *given):
        def run():
            if number in self.gone:
                raise PartGone
            if self.fails_at == (number, method):
                raise MemoryError
            return getattr(self.holders[number], method)(*given)

        return Answer(run)

    def is_alive(self, number):
        return number not in self.gone


@pytest.fixture
def models():
    one, first, source = (
        LazyKNeighborsClassifier(3, 2, categorical_features=[0, 1, 2]).fit(X, y)
        for _ in range(3)
    )

    def make(number):
        cases = PartedBase.cut(source.cases_, np.arange(24) // 8, 3)
        return cases.parts.parts[number]

    engine = Engine(make)
    for number in range(3):
        engine.start(number)
    parts = Shards(engine, 3, timeout=0.2)
    first.cases_ = PartedBase(one.cases_, parts, [8, 8, 8])
    return one, first, engine


def same(one, other):
    assert one.digest() == other.digest()
    assert one.predict_proba(X).tobytes() == other.predict_proba(X).tobytes()
    assert one.loo_predict([0, 5]).tolist() == other.loo_predict([0, 5]).tolist()


def test_parts_elsewhere_answer_alike(models):
    one, other, _ = models
    same(one, other)


def test_a_lost_part_is_made_anew_with_all_its_changes(models):
    one, other, engine = models
    for model in models[:2]:
        model.cases_.digest()
    for model in (one, other):
        model.partial_fit([[2, 3, 5], [0, 1, 7]], [1, 0])
        model.forget([2, 9, 25])
    same(one, other)
    for lost in itertools.chain([0], [1, 2]):
        engine.gone.add(lost)
    same(one, other)
    assert engine.n_started == 6


def test_erased_rows_are_not_in_the_journal(models):
    _, other, _ = models
    other.partial_fit([[2, 3, 5]], [1], ids=[77])
    other.forget([77])
    kept = [given for journal in other.cases_.parts.journal for given in journal]
    assert [len(g[1].ids) for f, g in kept if f.__name__ == "enter"] == [0]


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


@pytest.mark.parametrize("lost", ["before", "after"])
def test_a_change_whose_answer_is_lost_is_made_once(models, monkeypatch, lost):
    """The engine still takes the holder for alive, so it is asked a second time."""
    one, other, engine = models
    call, cut_off = engine.call, {"enter", "leave_all"}

    def unsteady(number, method, *given):
        name = given[1].__name__ if method == "change" else ""
        if name not in cut_off:
            return call(number, method, *given)
        cut_off.remove(name)
        answer = call(number, method, *given)

        def lose():
            if lost == "after":
                answer.result(0)
            raise PartGone

        return Answer(lose)

    monkeypatch.setattr(engine, "call", unsteady)
    for model in (one, other):
        model.partial_fit([[2, 3, 5], [0, 1, 7]], [1, 0])
        model.forget([2, 9])
    assert not cut_off
    same(one, other)


def test_a_part_that_is_lost_while_rows_come_or_go_takes_them_in(models, monkeypatch):
    one, other, engine = models
    same(one, other)
    call, losing = engine.call, {"enter", "leave_all"}

    def losing_call(number, method, *given):
        name = given[1].__name__ if method == "change" else ""
        if name in losing:
            losing.remove(name)
            engine.gone.add(number)
        return call(number, method, *given)

    monkeypatch.setattr(engine, "call", losing_call)
    for model in (one, other):
        model.partial_fit([[2, 3, 5], [0, 1, 7]], [1, 0])
        model.forget([2, 9])
    assert engine.n_started == 5
    same(one, other)


def test_nobody_waits_for_ever(models, monkeypatch):
    _, other, engine = models
    other.predict(X)

    def never(timeout):
        raise TimeoutError

    monkeypatch.setattr(shards, "_LOOK_AFTER", 0.01)
    monkeypatch.setattr(engine, "call", lambda *_: Answer(lambda: never(0)))
    with pytest.raises(
        LostPartError, match=r"part 0 has not answered for 0\.2 seconds"
    ):
        other.predict(X[:1])


def test_questions_get_one_state_while_rows_come(models):
    one, other, _ = models
    before = one.predict_proba(X).tolist()
    with other.cases_.snapshot() as cases:
        other.partial_fit([[2, 3, 1]] * 5, [1] * 5)
        found = other._answer_by(cases, X, "probabilities")[0]
    assert found.tolist() == before


def test_a_second_writer_is_refused(models):
    _, other, engine = models
    other.predict(X)
    second = Shards(engine, 3, timeout=0.2)
    second._change(0, lambda part: None, ())
    with pytest.raises(LostPartError, match="only one model may change"):
        other.predict(X[:2] + 0)
