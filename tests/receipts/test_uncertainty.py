"""Receipts that carry a set, an interval or an abstention: sealed, shown, replayed."""

import numpy as np
import pytest

from made_receipts import at, leaves, replaced
from sklazy import (
    LazyKernelClassifier,
    LazyKNeighborsClassifier,
    LazyLearningRegressor,
    LazyNBClassifier,
    Receipt,
)
from sklazy.errors import BadInputError, ReceiptError
from sklazy.receipts import sealed

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2)).round(2)
LABELS = np.where(X[:, 0] + 0.5 * RNG.normal(size=60) > 0, "up", "down")
CLASSES = LazyNBClassifier().fit(X, LABELS)
NUMBERS = LazyLearningRegressor().fit(X, X[:, 0] + 0.1 * RNG.normal(size=60))
ASKED = {"coverage": 0.9, "accuracy": 0.85}
QUESTION = ("coverage", "method", "by", "accuracy")


def test_the_set_and_the_abstention_are_those_of_the_methods():
    sets = CLASSES.predict_set(X[:5], 0.9, by="class")
    _, answered = CLASSES.predict_or_abstain(X[:5], 0.85)
    receipts = CLASSES.explain(X[:5], by="class", **ASKED, reasons=False)
    for receipt, within, given in zip(receipts, sets, answered, strict=True):
        told = receipt["prediction_set"]
        assert [c["in_set"] for c in told["classes"]] == within.tolist()
        assert [c["label"] for c in told["classes"]] == CLASSES.classes_.tolist()
        assert (told["coverage"], told["method"], told["by"]) == (
            0.9,
            "jackknife",
            "class",
        )
        assert all((c["credibility"] > 0.1) == c["in_set"] for c in told["classes"])
        assert receipt["abstention"]["answered"] == given
        assert CLASSES.verify(Receipt.from_json(receipt.to_json()))


def test_the_interval_is_that_of_the_method():
    ends = NUMBERS.predict_interval(X[:3], 0.8, by="nearness")
    receipts = NUMBERS.explain(X[:3], coverage=0.8, by="nearness", reasons=False)
    for receipt, (low, high) in zip(receipts, ends.tolist(), strict=True):
        (told,) = receipt["prediction_interval"]["targets"]
        assert (told["low"], told["high"]) == (low, high)
        assert NUMBERS.verify(receipt)


@pytest.mark.parametrize("model", [CLASSES, NUMBERS], ids=["classes", "numbers"])
def test_whatever_is_edited_is_refused(model):
    asked = ASKED if model is CLASSES else {"coverage": 0.9}
    content = model.explain(X[:1], **asked, reasons=False)[0].to_dict()
    own = ("prediction_set", "prediction_interval", "abstention")
    for path in [path for path in leaves(content) if path[0] in own]:
        old = at(content, path)
        new = not old if isinstance(old, bool) else 0.5 if old != 0.5 else 0.6
        for edited in (replaced(content, path, new), replaced(content, path, "x")):
            with pytest.raises(ReceiptError):
                model.verify(edited)
            if path[-1] not in QUESTION:  # another question may have the same answer
                with pytest.raises(ReceiptError):
                    model.verify(sealed(edited))
    for name in own:
        if name in content and name != "abstention":
            less = sealed({k: v for k, v in content.items() if k != name})
            assert model.verify(less)  # who did not ask for it gets this one


def test_every_outcome_is_told_in_words():
    far = np.repeat([[0.0], [1.0]], 30, axis=0) + np.linspace(0, 0.1, 60)[:, None]
    model = LazyKNeighborsClassifier(3, discretize=False, weights="uniform")
    sure = model.fit(far, np.repeat(["a", "b"], 30))
    empty, one = sure.explain([[0.5], [0.05]], coverage=0.9, reasons=False)
    why = "is empty: in 90 % of the cases the true class is more probable than any"
    assert f"the set {why} is here." in " ".join(empty.to_text().split())
    assert "the set is a." in " ".join(one.to_text().split())
    vague = LazyKNeighborsClassifier.paper(n_neighbors=3).fit(far, ["a", "b"] * 30)
    (full,) = vague.explain([[0.05]], coverage=0.95, reasons=False)
    assert "the set is full" in " ".join(full.to_text().split())
    text = " ".join(
        NUMBERS.explain(X[:1], coverage=0.9, reasons=False)[0].to_text().split()
    )
    assert "For a coverage of 0.9, y lies between" in text
    receipts = (
        LazyKernelClassifier().fit(X, LABELS).explain(X, accuracy=0.95, reasons=False)
    )
    told = [" ".join(receipt.to_text().split()) for receipt in receipts]
    given = [receipt["abstention"]["answered"] for receipt in receipts]
    assert ["the answer is given" in text for text in told] == given
    assert ["the answer is withheld" in text for text in told] == [
        not one for one in given
    ]
    assert 0 < sum(given) < len(given)


def test_numbers_cannot_be_withheld():
    with pytest.raises(BadInputError, match=r"accuracy=0\.9 is for classes"):
        NUMBERS.explain(X[:1], accuracy=0.9, reasons=False)
    with pytest.raises(BadInputError, match="coverage=2; expected"):
        CLASSES.explain(X[:1], coverage=2, reasons=False)
