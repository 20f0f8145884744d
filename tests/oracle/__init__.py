"""The slow oracle: every method in its plainest form, from the papers' formulas.

Nothing here may import sklazy. Clarity over speed: plain loops, no tricks. A module has
the twins of one room or of one family of methods; here are those that tests call.
"""

from oracle.association import association_rules, association_scores
from oracle.bags import bag_weights, beta_neighbors, query_seed, word64
from oracle.bayes import naive_bayes_joint
from oracle.bayes_rules import LazyBayesRules, sign_test
from oracle.casebase import cell, count_values, rows_of_values, value_counts
from oracle.combine import competence, diversity, stacking_loss
from oracle.cuts import cut_points
from oracle.ensembles import LazyEnsemble, LazyNumberEnsemble, tenths
from oracle.local_models import (
    choose_models,
    combine_models,
    distance,
    fit_models,
    local_space,
    nearest,
    rows_alike,
)
from oracle.measures import (
    attribute_figure,
    best_first,
    cfs_merit,
    columns_of,
    consistency,
    cross_table,
    discounted,
    entropy_of,
    gini_of,
    greedy,
    lazy_figure,
    v_of_attribute,
    value_figure,
)
from oracle.members import (
    bayes_answer,
    neighbors_answer,
    neighbors_mean,
    ridge_answer,
    rule_answer,
    rule_mean,
)
from oracle.neighbors import (
    add_votes,
    cast_votes,
    count_classes,
    decide,
    disagreements,
    heom_squares,
    ibk_probabilities,
    nearest_with_ties,
)
from oracle.path_means import grow_regression_tree, regression_tree_answer
from oracle.paths import TREE_RULES, collapse_tree, grow_tree, tree_answer
from oracle.pls import (
    direction,
    localize,
    pls_fit,
    pls_judge,
    pls_left_out_errors,
    pls_path,
    principal_scores,
)
from oracle.racing import (
    bent_ranking,
    correlation_ranking,
    gram_schmidt_ranking,
    iterated_race,
    race,
)
from oracle.random_paths import path_gains, random_path, random_path_changes
from oracle.selection import (
    LazyHost,
    grow_conjunction,
    lazy_merit,
    not_implied,
    select,
)
from oracle.tables import DECIMAL, encode, kind_of_texts, recode
from oracle.trees import lazy_tree_answer
