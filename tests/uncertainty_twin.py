"""What rho-uncertainty must give, in plain loops over the definitions: slow, and meant to be seen to be right.

Written from cao2010 and the holes found in it (docs/papers/cao2010.md), never from the package: nothing of `discreet`
is imported, so agreement with it means something. For a dozen items at most.

Holes closed    the empty antecedent counts (Definition 3.1 asks for every part of a row), and divides by all rows;
                before TDControl's loop, rules over ALL and the sensitive items are concealed, ALL itself never dropped;
                suppressTest looks only at antecedents that hold a child of the node that is split; nodes with one
                child are not in the tree.
Ties            by label: items first, in their order, then nodes by height and smallest leaf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

Row = frozenset[str]
Rule = tuple[Row, str]  # antecedent, consequent


# ---------------------------------------------------------------------------------------------------- rules


def subsets(items: Row) -> Iterator[Row]:
    """Yield every subset, the empty one included."""
    for length in range(len(items) + 1):
        for chosen in combinations(sorted(items), length):
            yield frozenset(chosen)


def support(rows: Sequence[Row], itemset: Row) -> int:
    """Return how many rows hold the itemset."""
    return sum(itemset <= row for row in rows)


def confidence(rows: Sequence[Row], rule: Rule) -> Fraction:
    """Return sup(antecedent and consequent) / sup(antecedent)."""
    antecedent, consequent = rule
    return Fraction(support(rows, antecedent | {consequent}), support(rows, antecedent))


def sensitive_rules(rows: Sequence[Row], sensitive: Collection[str]) -> set[Rule]:
    """Return every sensitive rule that some row follows, over antecedents of every length."""
    return {
        (antecedent, consequent)
        for row in set(rows)
        for consequent in row & frozenset(sensitive)
        for antecedent in subsets(row - {consequent})
    }


def highest_confidence(rows: Sequence[Row], sensitive: Collection[str]) -> Fraction | None:
    """Return the confidence of the worst sensitive rule; None where no row holds a sensitive item."""
    return max((confidence(rows, rule) for rule in sensitive_rules(rows, sensitive)), default=None)


Limit = Fraction | Mapping[str, Fraction]  # of all sensitive items, or of each


def violating(rows: Sequence[Row], sensitive: Collection[str], rho: Limit) -> set[Rule]:
    """Return the rules that reach rho, or their own limit (Definition 3.1: every confidence must be below it)."""
    return {
        rule
        for rule in sensitive_rules(rows, sensitive)
        if confidence(rows, rule) >= (rho if isinstance(rho, Fraction) else rho[rule[1]])
    }


# ---------------------------------------------------------------------------------------------------- SuppressControl


@dataclass
class Suppression:
    """What was dropped, in order, what it cost, and on the way there the rules and payoffs of each step."""

    dropped: list[str] = field(default_factory=list)
    loss: Fraction = Fraction(0)
    levels: list[set[Rule]] = field(default_factory=list)
    payoffs: list[dict[str, Fraction]] = field(default_factory=list)


def suppress_control(rows: Sequence[Row], sensitive: Collection[str], rho: Limit) -> Suppression:
    """Run Algorithm 1 with the empty antecedent as level 0; an item costs its support."""
    return conceal(rows, sensitive, rho, cost=lambda item: Fraction(support(rows, frozenset([item]))))


def conceal(
    rows: Sequence[Row],
    sensitive: Collection[str],
    rho: Limit,
    *,
    cost: Callable[[str], Fraction],
    order: Callable[[str], tuple[int, str]] = lambda label: (0, label),
    spare: Collection[str] = (),
    about: Collection[str] | None = None,
) -> Suppression:
    """Drop items until no rule reaches rho, level by level, the one of highest payoff first.

    `spare` are never dropped. With `about`, only antecedents that hold one of these are looked at.
    """
    done = Suppression()
    level = 0
    while any(len(row) > level and row & frozenset(sensitive) for row in rows):
        rules = {rule for rule in violating(rows, sensitive, rho) if len(rule[0]) == level}
        if about is not None:
            rules = {rule for rule in rules if rule[0] & frozenset(about)}
        done.levels.append(set(rules))
        while rules:
            involved = frozenset().union(*(antecedent | {consequent} for antecedent, consequent in rules))
            payoff = {
                item: sum(item in antecedent | {consequent} for antecedent, consequent in rules) / cost(item)
                for item in involved - frozenset(spare)
            }
            done.payoffs.append(payoff)
            best = min(payoff, key=lambda item: (-payoff[item], order(item)))
            done.dropped.append(best)
            done.loss += cost(best)
            rules = {rule for rule in rules if best not in rule[0] | {rule[1]}}
            rows = [row - {best} for row in rows]
        level += 1
    return done


# ---------------------------------------------------------------------------------------------------- hierarchies


@dataclass(frozen=True)
class Tree:
    """A hierarchy of the items that are not sensitive, as who is below whom."""

    children: Mapping[str, tuple[str, ...]]
    root: str | None

    def leaves(self, node: str) -> tuple[str, ...]:
        """Return v(node): the items it stands for, itself where it is one."""
        if node not in self.children:
            return (node,)
        return tuple(leaf for child in self.children[node] for leaf in self.leaves(child))

    def height(self, node: str) -> int:
        """Return how far the node is from its farthest leaf."""
        return 1 + max(map(self.height, self.children[node])) if node in self.children else 0

    def loss(self, node: str) -> Fraction:
        """Return IL_node; |I_N| counts all leaves, held by a row or not."""
        if node not in self.children:
            return Fraction(0)
        return Fraction(len(self.leaves(node)), len(self.leaves(self.root or node)))

    def order(self, label: str) -> tuple[int, str]:
        """Return the place of a label where ties are broken: items first, in order, then nodes by height."""
        return self.height(label), min(self.leaves(label))


def fanout_tree(items: Collection[str], fanout: int) -> Tree:
    """Return the paper's tree over sorted items, without nodes that have one child only."""
    children: dict[str, tuple[str, ...]] = {}
    level = sorted(items)
    while len(level) > 1:
        above = []
        for start in range(0, len(level), fanout):
            group = tuple(level[start : start + fanout])
            if len(group) > 1:
                name = f"node {len(children)}"
                children[name] = group
                above.append(name)
            else:
                above += group
        level = above
    return Tree(children, level[0] if level else None)


def generalize(rows: Sequence[Row], tree: Tree, cut: Collection[str]) -> list[Row]:
    """Publish every item below a node of the cut as that node; what is below none stays what it is."""
    name = {leaf: node for node in cut for leaf in tree.leaves(node)}
    return [frozenset(name.get(item, item) for item in row) for row in rows]


# ---------------------------------------------------------------------------------------------------- TDControl


@dataclass
class Particularization:
    """What TDControl publishes: the cut of the tree, what is dropped; and its steps on the way."""

    cut: set[str]
    dropped: set[str]
    steps: list[tuple[str, dict[str, Fraction], tuple[str, ...]]] = field(default_factory=list)
    start: list[str] = field(default_factory=list)


def td_control(rows: Sequence[Row], sensitive: Collection[str], tree: Tree, rho: Limit) -> Particularization:
    """Run Algorithm 3 with the holes closed; a step is the node split, every pnig, and what was dropped with it."""
    private = frozenset(sensitive)
    start = suppress_control([row & private for row in rows], sensitive, rho).dropped
    rows = [row - set(start) for row in rows]
    if tree.root is None:
        return Particularization(cut=set(), dropped=set(start), start=start)
    on_top = generalize(rows, tree, [tree.root])
    start += conceal(
        on_top,
        sensitive,
        rho,
        cost=lambda item: Fraction(support(rows, frozenset([item]))),
        order=tree.order,
        spare=[tree.root],
    ).dropped
    rows = [row - set(start) for row in rows]
    done = Particularization(cut={tree.root}, dropped=set(start), start=start)
    while True:
        tried = {x: info_gain(rows, sensitive, tree, done.cut, x, rho) for x in done.cut if x in tree.children}
        if not tried:
            return done
        best = min(tried, key=lambda x: (-tried[x][0], tree.order(x)))
        gain, selected = tried[best]
        if gain <= 0:
            return done
        done.steps.append((best, {x: tried[x][0] for x in tried}, tuple(selected)))
        done.cut = (done.cut - {best} | set(tree.children[best])) - set(selected)
        gone = {leaf for node in selected for leaf in tree.leaves(node)}
        done.dropped |= gone
        rows = [row - gone for row in rows]


def info_gain(
    rows: Sequence[Row], sensitive: Collection[str], tree: Tree, cut: Collection[str], x: str, rho: Limit
) -> tuple[Fraction, list[str]]:
    """Return pnig(x) and the items that splitting x would make it necessary to drop (Function 2)."""

    def occurrences(node: str) -> int:
        return sum(support(rows, frozenset([leaf])) for leaf in tree.leaves(node))

    old_cost = occurrences(x) * tree.loss(x)
    new_cost = sum((occurrences(child) * tree.loss(child) for child in tree.children[x]), Fraction(0))
    with_x = [row for row in rows if row & frozenset(tree.leaves(x))]
    particular = generalize(with_x, tree, set(cut) - {x} | set(tree.children[x]))
    test = conceal(
        particular,
        sensitive,
        rho,
        cost=lambda node: occurrences(node) * (1 - tree.loss(node)),
        order=tree.order,
        about=tree.children[x],
    )
    return old_cost - new_cost - test.loss, test.dropped


# ---------------------------------------------------------------------------------------------------- what is lost


def average_loss(rows: Sequence[Row], tree: Tree, cut: Collection[str], dropped: Collection[str]) -> Fraction:
    """Return avgLoss of section 3.2; `dropped` are items."""
    name = {leaf: node for node in cut for leaf in tree.leaves(node)}
    items = frozenset().union(*rows)
    lost = Fraction(0)
    for item in items:
        share = Fraction(1) if item in dropped else tree.loss(name[item]) if item in name else Fraction(0)
        lost += support(rows, frozenset([item])) * share
    total = sum(support(rows, frozenset([item])) for item in items)
    return lost / total if total else Fraction(0)


def optimum(rows: Sequence[Row], sensitive: Collection[str], tree: Tree, rho: Limit) -> Fraction:
    """Return the smallest loss of any safe publication: every cut, and every choice of what to drop in it."""
    best = Fraction(1)
    for cut in cuts(tree, tree.root):
        published = generalize(rows, tree, cut)
        names = frozenset(cut) | frozenset(sensitive)
        for drop in subsets(names & frozenset().union(*published)):
            if not violating([row - drop for row in published], sensitive, rho):
                gone = {leaf for node in drop for leaf in tree.leaves(node)}
                best = min(best, average_loss(rows, tree, cut, gone))
    return best


def cuts(tree: Tree, node: str | None) -> Iterator[tuple[str, ...]]:
    """Yield every way to generalize what is below a node."""
    if node is None:
        yield ()
        return
    yield (node,)
    if node in tree.children:
        partial: list[tuple[str, ...]] = [()]
        for child in tree.children[node]:
            partial = [(*one, *other) for one in partial for other in cuts(tree, child)]
        yield from partial


def select_a_size_loss(before: Sequence[Row], after: Sequence[Row], tree: Tree) -> Fraction:
    """Return the loss of randomized rows (section 6): lost items weigh as the lowest node above all changes."""
    lost = Fraction(0)
    for row, noisy in zip(before, after, strict=True):
        changed = row ^ noisy
        if row - noisy:
            lost += len(row - noisy) * tree.loss(lowest_above(tree, changed))
    held = sum(map(len, before))
    return lost / held if held else Fraction(0)


def lowest_above(tree: Tree, items: Row) -> str:
    """Return the lowest node that stands for all of the items."""
    nodes = [*tree.children, *items]
    above = [node for node in nodes if items <= frozenset(tree.leaves(node))]
    return min(above, key=lambda node: len(tree.leaves(node)))
