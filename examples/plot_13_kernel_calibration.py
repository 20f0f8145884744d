"""
Probabilities that mean what they say
=====================================

The kernel model chooses its weights, width, ridge and temperature by the log loss of
the cases left out, so that its probabilities are meant as such.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import CalibrationDisplay
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from sklazy import LazyKernelClassifier

X, y = make_classification(
    2400, 12, n_informative=5, n_redundant=2, flip_y=0.08, class_sep=0.7, random_state=1
)
X, X_new, y, y_new = train_test_split(X, y, train_size=400, random_state=0)

figure, axes = plt.subplots(figsize=(4.6, 4.4), layout="constrained")
for name, model in {
    "LazyKernelClassifier": LazyKernelClassifier(),
    "random forest": RandomForestClassifier(300, random_state=0),
}.items():
    share = model.fit(X, y).predict_proba(X_new)
    CalibrationDisplay.from_predictions(
        y_new, share[:, 1], n_bins=10, name=name, ax=axes
    )
    print(f"{name}: log loss {log_loss(y_new, share):.3f}")
