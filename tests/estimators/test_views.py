"""Views of many answers, and of one feature: importance, dependence, curves, cases."""

import numpy as np
import pandas as pd
import pytest

import sklazy
from sklazy import BadInputError


def table(n_rows=80):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows).round(2),
            "kind": rng.choice(["a", "b", "c"], n_rows),
            "sold": pd.Timestamp("2021-03-01")
            + pd.to_timedelta(rng.integers(0, 400, n_rows), "D"),
        },
        index=[f"row-{i}" for i in range(n_rows)],
    )
    return X, np.where((X["size"] > 0) ^ (X["kind"] == "b"), "yes", "no")


@pytest.fixture(scope="module")
def kernel():
    X, y = table()
    return sklazy.LazyKernelClassifier().fit(X, y), X


def test_importance_and_dependence_are_of_the_same_numbers(kernel):
    model, X = kernel
    found = model.contributions(X[:20])
    assert found.importance == pytest.approx(np.abs(found.values).mean(axis=0))
    for j, name in enumerate(["size", "kind", "sold"]):
        values, added = found.dependence(name)
        assert values.tolist() == X[name][:20].tolist()
        assert added.tolist() == found.values[:, j].tolist()
    with pytest.raises(BadInputError, match="name='colour' is not a feature"):
        found.dependence("colour")


def test_numbers_without_names_have_cells():
    X = np.arange(24.0).reshape(12, 2)
    model = sklazy.LazyKernelClassifier().fit(X, np.arange(12) // 6)
    assert model.contributions(X[:3]).dependence("x1")[0].tolist() == [1.0, 3.0, 5.0]


@pytest.mark.parametrize("name", ["size", "kind", "sold"])
def test_a_curve_is_what_is_predicted_along_a_feature(kernel, name):
    model, X = kernel
    curve = model.curve(X[:1], name, n_values=6)
    at = model.classes_.tolist().index(curve.of)
    rows = pd.concat([X[:1]] * len(curve.values))
    rows[name] = curve.values
    assert curve.answers == pytest.approx(model.predict_proba(rows)[:, at])
    assert curve.present == X[name].iloc[0]
    assert curve.present in curve.values
    assert curve.answer == pytest.approx(model.predict_proba(X[:1])[0, at])
    assert curve.of == model.predict(X[:1])[0]


def test_a_curve_of_another_class_and_of_numbers():
    X, y = table()
    model = sklazy.LazyKernelClassifier().fit(X, y)
    one, other = (model.curve(X[:1], "size", of=label) for label in ("yes", "no"))
    assert one.answers + other.answers == pytest.approx(np.ones(len(one.answers)))
    numbers = sklazy.LazyRidgeRegressor().fit(X[["size"]], X["size"] * 2.0)
    row = pd.DataFrame({"size": [np.nan]})
    curve = numbers.curve(row, "size", n_values=4)
    assert curve.present is None
    assert (np.diff(curve.answers) > 0).all()


def test_curves_refuse_what_they_cannot_draw(kernel):
    model, X = kernel
    with pytest.raises(BadInputError, match="feature='colour' is not a feature"):
        model.curve(X[:1], "colour")
    with pytest.raises(BadInputError, match="x has 2 rows"):
        model.curve(X[:2], "size")
    with pytest.raises(BadInputError, match="n_values=0"):
        model.curve(X[:1], "size", n_values=0)


def test_views_are_drawn(kernel):
    plt = pytest.importorskip("matplotlib.pyplot")
    model, X = kernel
    found = model.contributions(X[:9])
    axes = found.plot_importance()
    longest = found.names[int(found.importance.argmax())]
    assert axes.get_yticklabels()[0].get_text() == longest
    for name in ("size", "kind", "sold"):
        assert len(found.plot_dependence(name).lines[0].get_xdata()) == 9
        assert len(model.curve(X[:1], name).plot().lines) == 2
    plt.close("all")


@pytest.mark.parametrize("name", ["LazyKernelClassifier", "LazyBlendClassifier"])
def test_similar_cases_are_those_of_the_kernel(name):
    X, y = table()
    model = getattr(sklazy, name)().fit(X, y)
    similar = model.similar(X[:2], k=3)
    kernel = sklazy.LazyKernelClassifier().fit(X, y)
    listed = kernel.explain(X[:1], reasons=False)[0]["influential_cases"]["listed"]
    known = {case["id"]: case["distance"] for case in listed}
    for (query, case), distance in similar["distance"].items():
        if query == "row-0" and case in known:
            assert distance == pytest.approx(known[case])
    assert similar.loc[("row-0", "row-0"), "distance"] == 0.0
    assert list(similar.columns) == ["distance", "size", "kind", "sold", "y"]
    assert similar.loc[("row-0", "row-0"), "sold"] == X["sold"].iloc[0]


# --- what print shows -----------------------------------------------------------------


def figures(text, name):
    """The figures in the line of a name."""
    (line,) = (line for line in text.splitlines() if line.split()[:1] == [name])
    return [float(word) for word in line.split()[1:]]


def test_printed_contributions_have_their_figures(kernel):
    model, X = kernel
    found = model.contributions(X[:6])
    text = str(found)
    for j, name in enumerate(found.names):
        assert figures(text, name) == pytest.approx(found.values[:4, j], abs=5e-4)
    assert figures(text, "answer") == pytest.approx(found.answer[:4], abs=5e-4)
    assert f"0: {found.of[0]}" in text
    assert "2 more rows: see to_frame()" in text
    assert max(map(len, text.splitlines())) <= 80
    assert found._repr_html_() == f"<pre>{text}</pre>"


def test_many_features_are_summed_up_in_print():
    X = np.random.default_rng(0).normal(size=(40, 15))
    model = sklazy.LazyRidgeRegressor().fit(X, 1e4 * X[:, 0] + X[:, 1])
    text = str(model.contributions(X[:1]))
    assert "3 others" in text
    whole = [line.split()[-1] for line in text.splitlines()[2:]]
    total = sum(map(float, whole[:-1]))
    assert total == pytest.approx(float(whole[-1]), abs=len(whole))


def test_printed_influence_has_the_strongest_cases(kernel):
    model, X = kernel
    found = model.influence(X[:2])
    text = str(found)
    for case, size in found.strongest(1):
        assert f"1  {case}" in text
        assert f"{size:+.3f}" in text
    assert found._repr_html_().startswith("<pre>Influence of 80 cases on ")


def test_printed_curves_values_and_advantages_have_figures(kernel):
    model, X = kernel
    curve = model.curve(X[:1], "kind")
    assert figures(str(curve), "b") == pytest.approx([curve.answers[1]], abs=5e-4)
    values = sklazy.case_values(model, n_neighbors=5)
    worst = values.worst(1)[0]
    assert figures(str(values), worst) == pytest.approx([values.values.min()], abs=1e-5)
    X, y = table()
    assert figures(str(sklazy.lazy_advantage(X, y)), "kind")[0] >= 0
