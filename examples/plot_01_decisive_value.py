"""
A feature that rarely helps can decide a single case
====================================================

The idea that opens the paper on lazy attribute selection (Pereira, Plastino, Zadrozny
et al. 2011), as a made-up table of 120 patients. Fever says a little about everybody.
A rash says nothing about most patients, but a purple one always means illness B.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import sklazy

# (fever, rash, illness): how many patients
COUNTS = {
    ("high", "none", "A"): 36,
    ("high", "none", "B"): 12,
    ("high", "red", "A"): 10,
    ("high", "red", "B"): 4,
    ("low", "none", "A"): 10,
    ("low", "none", "B"): 30,
    ("low", "red", "A"): 4,
    ("low", "red", "B"): 8,
    ("high", "purple", "B"): 6,
}
rows = [key for key, count in COUNTS.items() for _ in range(count)]
patients = pd.DataFrame(rows, columns=["fever", "rash", "illness"])
X, y = patients[["fever", "rash"]], patients["illness"]

# %%
# Predict two patients from one feature only. Eager selection takes the same feature for
# both. Lazy selection looks at their values first, and takes the rash for the second.
asked = pd.DataFrame({"fever": ["high", "high"], "rash": ["none", "purple"]})
for selection in ("eager", "lazy"):
    model = sklazy.LazyNBClassifier(n_attributes=1, selection=selection).fit(X, y)
    used = model.select_attributes(asked)
    print(f"{selection} selection, one feature:")
    for query, mask, answer in zip(
        asked.to_dict("records"), used, model.predict(asked), strict=True
    ):
        print(f"  {query}: looks at {X.columns[mask][0]}, answers {answer}")

# %%
# Why: the entropy of the illness among patients with the same value. The lower it is,
# the more the value says.
selection = model.explain(asked[1:])[0].to_dict()["selection"]
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
for axis, entry in zip(axes, selection["attributes"], strict=True):
    name = entry["name"]
    shares = pd.crosstab(patients[name], patients["illness"], normalize="index")
    axis.bar(shares.index, shares["A"], 0.6, color="#9bb7d4", label="A")
    axis.bar(shares.index, shares["B"], 0.6, shares["A"], color="#c44e52", label="B")
    sizes = patients[name].value_counts()
    for place, (value, row) in enumerate(shares.iterrows()):
        known = row[row > 0]
        entropy = abs(float(-(known * np.log2(known)).sum()))
        note = f"{sizes[value]} rows\nentropy {entropy:.2f}"
        axis.text(place, 1.03, note, ha="center", fontsize=8)
    title = f"{name}: {entry['attribute_score']:.2f} on the whole"
    axis.set_title(
        title + (", used for the purple rash" if entry["used"] else ""), y=1.16
    )
    axis.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("share of the illnesses")
axes[0].legend(title="illness", loc="lower left")
figure.tight_layout()

# %%
# Over all patients fever is the better feature (0.88 against 0.97). But the purple bar
# has one color: its entropy is 0, and nothing is left to ask.
