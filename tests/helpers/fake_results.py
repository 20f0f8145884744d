"""Results as an experiment would store them."""

from sklazy_studies.racsam import run as racsam


def fake_found(rng, names, n_rows=40):
    found = {}
    for name in names:
        for fold in range(5):
            for method in racsam.PEERS:
                unit = racsam._unit(
                    "", 1.0, part="peer", method=method, set=name, fold=fold
                )
                found[unit] = {"errors": {method: racsam.pack(rng.random(n_rows))}}
            for variant in racsam.RACED:
                setting = {"part": "raced", "variant": variant, "set": name}
                unit = racsam._unit("", 1.0, fold=fold, **setting)
                methods = [f"LL-RAC1, {variant}", f"LL-RAC2, {variant}"]
                methods += ["lazy, all inputs"] if variant == "ours" else []
                raced = {m: racsam.pack(rng.random(n_rows)) for m in methods}
                found[unit] = {"errors": raced}
    for n_inputs, variant in ((20, "text"), (20, "ours"), (50, "text"), (50, "ours")):
        for run in range(4):
            named = {"n_inputs": n_inputs, "variant": variant, "run": run}
            for start in racsam.STARTS:
                setting = {**named, "start": start}
                found[racsam._unit("", 1.0, part="race", **setting)] = {
                    "success": run < 3,
                    "first": run < 2,
                    "selected": run < 2,
                    "n_candidates": 1000 + run,
                    "n_predictions": 5000,
                    "n_until": 400 if run < 2 else None,
                    "n_test": 5.0,
                    "n_training": 600.0,
                    "races": [["explore", 60, 60, 2.0], ["confirm", 25, 900, 1.5]],
                }
            found[racsam._unit("", 1.0, part="forward", **named)] = {
                "success": run < 1,
                "chosen": [0],
                "n_candidates": 100,
                "n_test": 500,
                "n_training": 270,
            }
    return found
