"""scikit-learn's neighbors."""

import asking
import numpy as np
import sklearn.neighbors
from sklearn.impute import KNNImputer
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

frame, y = asking.mixed_table()
X, labels = asking.tied_table()
reason = asking.refuses(lambda: KNeighborsClassifier().fit(frame, y))
asking.note("mixed", "no" if reason else "yes", reason)
moved = asking.count_moved(lambda a, b: KNeighborsClassifier(5).fit(a, b), X, labels)
asking.note("ties", "no" if moved else "yes", f"{moved} of 200 labels change")
free = KNeighborsClassifier(5).fit(X, labels).predict(None)
slow = cross_val_predict(KNeighborsClassifier(5), X, labels, cv=LeaveOneOut())
asking.note("loo", "yes, `predict(None)`", f"{np.mean(free == slow):.2f} equal to fits")
rows = KNeighborsClassifier().fit(X, labels).kneighbors(X[:1])[1]
asking.note("reasons", "rows and distances, `kneighbors`", rows)
here = sklearn.neighbors
asking.lacks("add", here, ["partial_fit", "learn_one", "add_"])
asking.lacks("erase", here, ["forget", "remove", "delete", "unlearn"])
asking.lacks("selects", here, ["select"])
asking.lacks("coverage", here, ["coverage", "conformal", "interval", "predict_set"])
asking.lacks("labels", here, ["audit", "issue", "doubt"])
asking.lacks("next", here, ["suggest", "acqui"])
asking.lacks("values", here, ["shapley", "valuation", "influence"])
reason = asking.refuses(lambda: KNNImputer().fit_transform(frame))
asking.note("impute", "numbers, `KNNImputer`" if reason else "yes", reason)
asking.finish()
