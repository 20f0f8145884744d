"""Ensembles whose members are of several kinds, in turn."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from sklearn.base import clone
from sklearn.utils import get_tags

from sklazy.answer.ensembles.members import (
    LinearMember,
    Member,
    NeighborsMember,
    RandomTreeMember,
    RuleMember,
    TreeMember,
)
from sklazy.estimators.ensembles.base import LazyEnsemble
from sklazy.estimators.ensembles.member_kinds import (
    Named,
    check_kinds,
    describe_kinds,
    make_members,
    named_kinds,
)
from sklazy.estimators.ensembles.sklearn_members import (
    ClassifierMember,
    RegressorMember,
)
from sklazy.estimators.parameters import check_count, check_positive
from sklazy.local.local_models.plans import check_ridge


class LazyStacking(LazyEnsemble):
    """An ensemble whose members are of several kinds; see the subclasses."""

    estimators: Sequence[Any] | None
    member_neighbors: int
    ridge: float
    _all_kinds: ClassVar[tuple[str, ...]]
    _default_kinds: ClassVar[tuple[str, ...]]
    _sklearn_member: ClassVar[type[ClassifierMember | RegressorMember]]

    def _own_members(self) -> dict[str, Callable[[str], Member]]:
        """How members of our own are made."""
        share = bool(self.share_bags)
        return {
            "tree": lambda name: TreeMember(self._rules(), share, name),
            "random_tree": lambda name: RandomTreeMember(self._tried(), name),
            "neighbors": lambda name: NeighborsMember(int(self.member_neighbors), name),
            "linear": lambda name: LinearMember(float(self.ridge), name),
            "rule": RuleMember,
        }

    def _members(self) -> tuple[Member, ...]:
        return make_members(self._kinds(), self._own_members(), self._sklearn_member)

    def _kinds(self) -> list[Named]:
        return named_kinds(self.estimators, self._all_kinds, self._default_kinds)

    def _reported_settings(self) -> dict[str, Any]:
        plain = clone(self).set_params(estimators=None)
        plain.seed_ = self.seed_
        settings = LazyEnsemble._reported_settings(plain)
        return {**settings, "estimators": describe_kinds(self._kinds())}

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("member_neighbors", self.member_neighbors)
        check_positive("ridge", self.ridge, "the penalty of the linear member")
        check_ridge(self.ridge)
        check_kinds(self._kinds(), str(get_tags(self).estimator_type))
