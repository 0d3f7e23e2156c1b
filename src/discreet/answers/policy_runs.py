"""What a run of a policy says, and the policy itself."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any

from discreet.answers.answer import Answer, Headline, Listing, Step, TextTable
from discreet.answers.releases import release_answer, release_headline
from discreet.command_words import option
from discreet.differential_privacy.budget import Budget
from discreet.errors import spelled
from discreet.wording import counted, itemset_text, number, one_line, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.answers.answer import Evidence
    from discreet.channels.blocking import Blocked
    from discreet.policy.policy import Policy
    from discreet.policy.run import PolicyRun
    from discreet.publishing.noisy_bundle import DpRelease
    from discreet.publishing.release import Release

__all__ = ["policy_answer", "run_answer", "stopped_answer"]

_ITEMSETS_SHOWN = 20


def policy_answer(policy: Policy) -> Answer:
    """Return what a policy says."""
    said = [(name, _text(value)) for name, value in policy.says.items()]
    first = ["--new-ledger"] if policy.ledger is not None and not policy.ledger.exists() else []
    return Answer(
        f"{policy.path} can be used",
        [Listing("What it says", said), f"Its digest, which comments do not change:\n  {policy.digest}"],
        [
            Step(
                ["discreet", "run", str(policy.path), *first, "--check"],
                "asks whether what it would publish now is safe",
            )
        ],
    )


def run_answer(done: PolicyRun, again: Sequence[str], *, new_ledger: bool = False) -> Answer:
    """Return what was published, or would be; `again` is the command without the option that rehearses it."""
    if done.release is None:
        return _within_budget(done, again)
    if done.mode != "publish":
        return _rehearsed(done, done.release, again)
    found = release_answer(
        done.release, None, owner_report=done.owner_report, ledger=done.policy.ledger, new_ledger=new_ledger
    )
    if done.verification is not None and not done.verification.holds:
        return Answer(
            Headline("DOES NOT HOLD", "bad", f"{done.output}: {spelled(done.verification.reason_message, option)}"),
            found.evidence,
        )
    noisy = done.policy.method == "dp"
    follows = f"It follows {done.policy.path}, and holds{'' if noisy else ': it was verified with these data'}."
    steps = [*found.next_steps, Step([*again[:3], "--data", "FILE"], "the next time, with other data")]
    said = follows if noisy else f"{follows}{_changes(done.release)}{_together(done)}"
    return Answer(found.headline, [said, *found.evidence], steps)


def _within_budget(done: PolicyRun, again: Sequence[str]) -> Answer:
    """Return that a release with noise can be made; what it would give is not known before."""
    spends = (
        f"{done.policy.path} would spend {Budget(done.policy.epsilon or Fraction(0), done.policy.delta or Fraction(0))}"
    )
    left = done.left_words.replace(" is left.", " would be left.") or "There is no budget that it could exceed."
    said = f"Nothing was written, and no noise was drawn. {left}"
    return Answer(Headline("WITHIN THE BUDGET", "good", spends), [said], [Step(again, "publishes with noise")])


def _rehearsed(done: PolicyRun, release: Release | DpRelease, again: Sequence[str]) -> Answer:
    headline = release_headline(release)
    words = headline.sentence.replace(" published;", " would be published;")
    said = f"Nothing was written: this is what {done.policy.path} would publish in {done.output}."
    evidence: list[Evidence] = [f"{said}{_changes(release)}{_together(done)}"]
    if done.mode == "dry":
        evidence.append(_itemsets(release))
    return Answer(Headline(headline.verdict, "good", words), evidence, [Step(again, "publishes it")])


def _itemsets(release: Release | DpRelease) -> TextTable:
    patterns = release.published.patterns
    shown = list(islice(patterns.listed(), _ITEMSETS_SHOWN))
    more = f", the first {_ITEMSETS_SHOWN} of {number(len(patterns))}" if len(patterns) > len(shown) else ""
    rows = [(number(support), itemset_text(labels)) for labels, support in shown]
    return TextTable(f"What would be published{more}: --json has all", ["rows", "itemset"], rows)


def _changes(release: Release | DpRelease) -> str:
    blocked: Blocked | None = getattr(release, "blocked", None)  # noise changes everything
    kept_back = 0 if blocked is None or blocked.withheld is None else len(blocked.withheld)
    withheld = f" For you alone: {counted(kept_back, 'itemset')} withheld." if kept_back else ""
    if blocked is None or not blocked.distortion.rows:
        return withheld or " Nothing had to be changed."
    cost = blocked.distortion
    what = f"{counted(cost.rows, 'row')} {'added virtually' if blocked.method == 'additive' else 'left out'}"
    return (
        f" For you alone: {what}; {share(cost.changed)} of the supports changed, by {share(cost.worst)} at most and "
        f"{share(cost.average)} on average.{withheld}"
    )


def _together(done: PolicyRun) -> str:
    if done.policy.ledger is None:
        return " There is no ledger: earlier releases were not looked at."
    if not done.earlier:
        return ""
    return f" It is safe together with {counted(done.earlier, 'earlier release')} in {done.policy.ledger}."


def stopped_answer(reason: str, policy: str) -> Answer:
    """Return why a run stopped before anything was judged."""
    steps = [Step(["discreet", "policy", "check", policy], "shows what the policy says")]
    return Answer(Headline("STOPPED", "bad", f"nothing was published; {reason}"), (), steps)


def _text(value: Any) -> str:  # as in JSON
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return itemset_text(value)
    return one_line(str(value))
