"""The methods whose answers become receipts; a new one is a line here."""

from sklazy.methods.association import receipt as association
from sklazy.methods.bayes_rules import receipt as bayes_rules
from sklazy.methods.blends import receipt as blends
from sklazy.methods.ensembles import receipt as ensembles
from sklazy.methods.kernel_models import receipt as kernel_models
from sklazy.methods.linear_models import receipt as linear_models
from sklazy.methods.local_models import receipt as local_models
from sklazy.methods.number_selection import receipt as number_selection
from sklazy.methods.pls import receipt as pls
from sklazy.methods.selection import receipt as selection
from sklazy.methods.trees import receipt as trees

_MEMBERS = (
    selection.FAMILY,
    number_selection.FAMILY,
    ensembles.FAMILY,
    trees.FAMILY,
    bayes_rules.FAMILY,
    association.FAMILY,
    local_models.FAMILY,
    linear_models.FAMILY,
    kernel_models.FAMILY,
    pls.FAMILY,
)

FAMILIES = {one.kind: one for one in (*_MEMBERS, blends.make_family(_MEMBERS))}
"""The families by the kind of their receipts."""

FAMILIES_BY_ANSWER = {one.answer: one for one in FAMILIES.values()}
"""The families by the class of their answers."""
