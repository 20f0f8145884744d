"""sklazy itself, asked as the others are."""

import asking
import numpy as np

import sklazy

frame, y = asking.mixed_table()
X, labels = asking.tied_table()
model = sklazy.LazyKNeighborsClassifier().fit(frame, y)
asking.claim("mixed", "yes", len(model.predict(frame[:3])) == 3, "fit and predict")
# One value of each column settles the class, the other one does not.
signs = np.where(X[:, :2] > 0, "settles", "does not")
classes = (X[:, :2] > 0).any(axis=1).astype(int)
lazy = sklazy.LazyKNeighborsClassifier.paper(n_attributes=1).fit(signs, classes)
n_sets = len(np.unique(lazy.select_attributes(signs), axis=0))
asking.claim("selects", "yes", n_sets > 1, f"{n_sets} sets of one of two features")
moved = asking.count_moved(sklazy.LazyKNeighborsClassifier().fit, X, labels)
asking.claim("ties", "yes", moved == 0, f"{moved} of 200 labels change")
rest = np.arange(len(y)) != 7
without = sklazy.LazyKNeighborsClassifier().fit(frame[rest], y[rest])
same = model.loo_predict()[7] == without.predict(frame[7:8])[0]
asking.claim("loo", "yes, `loo_predict`", same, "equal to a fit without the row")
receipt = model.explain(frame[:1])[0]
answer = "features and rows, checked by `verify`"
asking.claim("reasons", answer, model.verify(receipt), "the receipt is verified")
before = model.digest()
model.partial_fit(frame[:1], y[:1], ids=[9999])
whole = sklazy.LazyKNeighborsClassifier().fit(
    frame.iloc[[*range(len(y)), 0]], y[[*range(len(y)), 0]], ids=[*range(len(y)), 9999]
)
same = model.digest() == whole.digest()
asking.claim("add", "yes, equal to a fit", same, "digest of a fit with the row")
same = model.forget([9999]).digest() == before
asking.claim("erase", "yes, with a certificate", same, "digest of before")
sets = model.predict_set(frame[:5], coverage=0.9)
answer = "yes, no calibration rows"
asking.claim("coverage", answer, len(sets) == 5, f"sets of shape {np.shape(sets)}")
found = sklazy.audit(frame, y)
asking.claim("labels", "yes, `audit`", isinstance(found, sklazy.Audit), found)
advice = model.suggest_attribute(frame[3:4])[0]
asking.claim("next", "yes, `suggest_attribute`", "town" in str(advice), advice)
filled = sklazy.LazyImputer().fit_transform(frame)
n_holes = int(np.sum([cell != cell or cell is None for cell in np.ravel(filled)]))
asking.claim("impute", "yes, `LazyImputer`", n_holes == 0, f"{n_holes} holes left")
numbers = sklazy.LazyKNeighborsClassifier(n_neighbors=5).fit(X, labels)
worth = sklazy.case_values(numbers, X[:20], labels[:20])
asking.claim("values", "yes, `case_values`", worth is not None, worth)
asking.finish()
