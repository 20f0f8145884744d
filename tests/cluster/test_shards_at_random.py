"""Random changes, questions and faults: parts elsewhere are one base, or say no."""

import random
from contextlib import ExitStack

import numpy as np
import pytest

from losing_engine import Clock, elsewhere
from sklazy import LazyKNeighborsClassifier, LazyNBClassifier, LostPartError
from sklazy.dask import shards
from sklazy.dask.shards import PartGone

N_ROWS, N_PARTS, N_STEPS, N_CHUNK = 18, 3, 25, 25
STOPS = LostPartError, KeyboardInterrupt
MODELS = [
    lambda: LazyKNeighborsClassifier(3, 2, categorical_features=[0, 1]),
    lambda: LazyKNeighborsClassifier(
        2, 0.5, categorical_features=[0, 1], discretize=False
    ),
    lambda: LazyNBClassifier(2, categorical_features=[0, 1]),
]


class Machine:
    """One base, the same in parts elsewhere, and states of both that are read."""

    def __init__(self, seed, clock):
        self.chance, self.clock = random.Random(seed), clock
        X, y = self.rows(N_ROWS)
        self.one, self.other, self.engine = elsewhere(
            self.chance.choice(MODELS), X, y, N_PARTS
        )
        self.queries = self.rows(4)[0]
        self.read, self.countdown, self.silent = [], None, set()
        self.engine.fault = self.fault

    def rows(self, n_rows):
        """Two columns of labels and one of numbers; now and then what none has had."""
        chance, rare = self.chance, self.chance.random() < 0.3
        X = [
            [
                chance.randrange(-rare * 3, 3),
                chance.randrange(4 + rare * 9),
                chance.choice([0.5, 1.5, 2.5, chance.gauss(0, 2)]),
            ]
            for _ in range(n_rows)
        ]
        y = [chance.randrange(-rare, 2 + rare) for _ in range(n_rows)]
        y[:2] = (0, 1)[:n_rows]
        return np.array(X), y

    # --- faults -----------------------------------------------------------------------

    def fault(self, number, name):
        if number in self.silent:
            return self.time_out, None
        if self.countdown is None:
            return None, None
        self.countdown -= 1
        if self.countdown > 0:
            return None, None
        self.countdown = None
        act = self.chance.choice([self.lose, self.cut_off, self.hush, self.interrupt])
        pair = [lambda: act(number), None]
        self.chance.shuffle(pair)
        return pair

    def lose(self, number):
        self.engine.gone.add(number)
        raise PartGone

    def cut_off(self, number):
        raise PartGone

    def hush(self, number):
        self.silent.add(number)
        self.time_out()

    def time_out(self):
        self.clock.sleep(0.05)
        raise TimeoutError

    def interrupt(self, number):
        raise KeyboardInterrupt

    def calm_down(self):
        self.countdown = None
        self.silent.clear()

    # --- steps ------------------------------------------------------------------------

    def step(self):
        steps = [self.add, self.add, self.forget, self.forget, self.ask]
        steps += [self.hold, self.ask_held, self.let_go]
        if self.chance.random() < 0.6:
            self.countdown = self.chance.randint(1, 12)
        if self.chance.random() < 0.15:
            self.engine.gone.add(self.chance.randrange(N_PARTS))
        self.chance.choice(steps)()
        self.calm_down()
        assert self.said(self.other) == self.said(self.one)

    def said(self, model):
        receipts = [r.to_dict() for r in model.explain(self.queries[:1], reasons=False)]
        shares = model.predict_proba(self.queries).tobytes()
        return model.digest(), shares, receipts, sorted(model.ids_)

    def add(self):
        X, y = self.rows(self.chance.randint(1, 3))
        self.change(lambda model: model.partial_fit(X, y))

    def forget(self):
        ids = sorted(self.one.ids_)
        gone = self.chance.sample(ids, self.chance.randint(1, 3))
        if len(ids) > 10:
            self.change(lambda model: model.forget(gone))

    def change(self, make):
        """It is made, or it is not; nothing is in between."""
        before = self.one.digest()
        try:
            make(self.other)
        except STOPS:
            self.calm_down()
            if self.other.digest() != before:
                make(self.one)
        else:
            make(self.one)

    def ask(self):
        try:
            found = self.said(self.other)
        except STOPS:
            return
        assert found == self.said(self.one)

    def hold(self):
        """Begin to read a state, whether or not somebody is stopped by it."""
        stack = ExitStack()
        try:
            state = stack.enter_context(self.other.cases_.snapshot())
        except STOPS:
            return
        expected = self.one.digest(), self.one.predict_proba(self.queries).tobytes()
        self.read.append((stack, state, expected, self.engine.n_started))

    def ask_held(self):
        for _, state, expected, n_started in self.read:
            calm = self.countdown is None and not (self.silent or self.engine.gone)
            try:
                shares = self.other._answer_by(state, self.queries, "probabilities")[0]
                found = state.digest(), shares.tobytes()
            except STOPS:
                assert not calm or self.engine.n_started > n_started
            else:
                assert found == expected

    def let_go(self):
        if self.read:
            stack, *_ = self.read.pop(self.chance.randrange(len(self.read)))
            try:
                stack.close()
            except KeyboardInterrupt:
                return
        if not self.read:
            self.calm_down()
            assert self.said(self.other) == self.said(self.one)


def run(seed, clock):
    machine = Machine(seed, clock)
    for _ in range(N_STEPS):
        machine.step()
    machine.calm_down()
    machine.ask_held()
    for stack, *_ in machine.read:
        stack.close()
    with machine.other.cases_.snapshot():  # tells those who did not hear who reads
        machine.add()
    assert not any(holder.kept for holder in machine.engine.holders.values())


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(shards, "time", clock)
    return clock


@pytest.mark.parametrize("seed", range(30))
def test_whatever_happens_to_parts_they_are_one_base(seed, clock):
    run(seed, clock)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(500 // N_CHUNK))
def test_whatever_happens_to_parts_five_hundred_times(chunk, clock):
    for seed in range(chunk * N_CHUNK, (chunk + 1) * N_CHUNK):
        run(seed, clock)
