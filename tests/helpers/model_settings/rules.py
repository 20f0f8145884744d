"""Lazy Bayesian rules and lazy associative classification."""

from model_settings.setting import Setting, checked
from sklazy import LazyAssociativeClassifier, LazyBayesRulesClassifier

RULES = {
    LazyBayesRulesClassifier: [
        checked(LazyBayesRulesClassifier(), "the defaults"),
        Setting(
            LazyBayesRulesClassifier(min_support=2, significance=0.6),
            "rules on few rows",
        ),
        Setting(
            LazyBayesRulesClassifier(0.3, 1, 1.0, cuts="frozen", n_jobs=2),
            "whatever changes a case joins the rule, cuts of the first fit",
        ),
    ],
    LazyAssociativeClassifier: [
        checked(LazyAssociativeClassifier(), "the defaults"),
        Setting(
            LazyAssociativeClassifier(1, 0.0, 3, "support", n_jobs=2),
            "all rules, by their cases",
        ),
        Setting(
            LazyAssociativeClassifier(0.3, 0.9, cuts="frozen"),
            "hardly any rule, cuts of the first fit",
        ),
    ],
}
