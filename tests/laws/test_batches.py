"""Law 2: a query gets the same answer alone, in a batch, and in any slice of it."""

from hypothesis import given
from hypothesis import strategies as st

from discovery import every_keeper
from lawful import answers, exactly, few, fitted, quiet, says, smallest_slices, splits

pytestmark = quiet


@every_keeper
@few
@given(st.data())
def test_batches_and_threads_do_not_matter(setting, data):
    cases, queries = data.draw(splits(setting))
    model = fitted(setting.model, cases, n_jobs=1)
    together = answers(model, queries)
    for i in range(len(queries.rows)):
        own = {name: found[i : i + 1] for name, found in together.items()}
        assert says(model, queries.take([i])) == exactly(own)
    model.set_params(n_jobs=3)
    with smallest_slices():
        assert says(model, queries) == exactly(together)
