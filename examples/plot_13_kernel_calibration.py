"""
Probabilities that can be taken at their word
=============================================

Is a handwritten digit odd or even? Two models learn it from 150 digits and say how sure
they are. The kernel model chooses its settings by the log loss of rows that are left
out, so its probabilities are meant to be right, not just its answers.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import CalibrationDisplay
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from sklazy import LazyKernelClassifier

X, digit = load_digits(return_X_y=True)
X, X_new, y, y_new = train_test_split(X, digit % 2, train_size=150, random_state=0)

figure, axes = plt.subplots(figsize=(4.6, 4.4), layout="constrained")
for name, model in {
    "LazyKernelClassifier": LazyKernelClassifier(),
    "random forest": RandomForestClassifier(300, random_state=0),
}.items():
    odd = model.fit(X, y).predict_proba(X_new)
    dots = {"n_bins": 8, "strategy": "quantile"}  # each of as many digits
    CalibrationDisplay.from_predictions(y_new, odd[:, 1], **dots, name=name, ax=axes)
    print(f"{name}: log loss {log_loss(y_new, odd):.3f}")
_ = axes.set(xlabel="probability of odd, as predicted", ylabel="share that is odd")

# %%
# The forest is too careful: of the digits that it calls odd with 70 %, nearly all are.
# The kernel stays closer to the diagonal, where predicted and true shares agree.
