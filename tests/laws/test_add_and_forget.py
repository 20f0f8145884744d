"""Law 3: adding rows equals a fit to all, and forgetting them leaves no trace."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discovery import every_keeper, keeps_cases_with, settings_of
from lawful import few, fewer, fitted, quiet, says, splits, truth, with_exact_cuts
from sklazy.errors import DataWarning

pytestmark = quiet


@every_keeper
@few
@given(st.data())
def test_adding_and_forgetting_leave_no_trace(setting, data):
    cases, queries = data.draw(splits(setting, more=1))
    model, n_rows = with_exact_cuts(setting.model), len(cases.rows)
    n_kept = data.draw(st.integers(setting.min_rows, n_rows - 1))
    kept, added = cases.take(range(n_kept)), cases.take(range(n_kept, n_rows))
    plain, grown, at_once = (fitted(model, part) for part in (kept, kept, cases))
    expected = says(plain, queries)
    assert says(grown, queries) == expected
    grown.partial_fit(added.frame, truth(model, added))
    assert grown.digest() == at_once.digest()
    assert says(grown, queries) == says(at_once, queries)
    for again in (grown, at_once):
        again.forget(list(range(n_kept, n_rows)))
        assert again.digest() == plain.digest()
        assert says(again, queries) == expected


@pytest.mark.parametrize("setting", settings_of(keeps_cases_with("cuts")))
@fewer
@given(st.data())
def test_frozen_cuts_stay_until_they_are_refreshed(setting, data):
    cases, queries = data.draw(splits(setting, more=1))
    rows = range(len(cases.rows))
    first, rest = cases.take(rows[: setting.min_rows]), rows[setting.min_rows :]
    added = cases.take(rest)
    frozen = fitted(setting.model, first, cuts="frozen")
    digest, before = frozen.digest(), says(frozen, queries)
    frozen.partial_fit(added.frame, added.classes)
    told = pytest.warns(DataWarning, match="cuts")
    with told if "numeric" in cases.kinds else contextlib.nullcontext():
        frozen.forget(list(rest))
    assert (frozen.digest(), says(frozen, queries)) == (digest, before)
    frozen.partial_fit(added.frame, added.classes).refresh()
    whole = fitted(setting.model, cases, cuts="exact")
    assert says(frozen, queries) == says(whole, queries)
