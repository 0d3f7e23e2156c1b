"""Do what a policy says: read, check the data, make patterns safe, publish, record, verify.

Problem      a release is a dozen steps, and one that is left out, or done otherwise than last month, breaks a promise.
Method       the functions of the commands, in order: nothing here decides what is safe. A rehearsal is the same release
             into a folder for temporary files, with a copy of the ledger, so that it ends as the release would.
Promises     what is not as the policy says, or not safe, raises NotSafe, and nothing is written. A rehearsal writes
             nothing that stays.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast

from discreet.command_words import FileList, option_words
from discreet.differential_privacy.budget import decimal_text
from discreet.differential_privacy.private_itemsets import DpRequest
from discreet.errors import DataError, ParameterError, PolicyDiffers, param, spelled
from discreet.patterns.patternset import PatternSet
from discreet.policy.drift import check_columns, check_labels, read_as_said
from discreet.policy.keys import section_of
from discreet.policy.policy import POLICY_FILE, Policy, in_toml, read_policy
from discreet.publishing.audiences import OwnerFile
from discreet.publishing.bundle import check_bundle_folder
from discreet.publishing.ledger import open_ledger
from discreet.publishing.ledger_entries import PolicyNote
from discreet.publishing.ledger_file import SECONDS_TO_WAIT, check_ledger_path
from discreet.publishing.noisy_bundle import release_dp
from discreet.publishing.privacy_budget import check_budget, left_words, new_limits
from discreet.publishing.release import release
from discreet.publishing.verifier import verify
from discreet.tables.scratch import scratch_folder
from discreet.tables.tabular import Tabular
from discreet.tables.whole import keep_inputs
from discreet.thresholds import one_of
from discreet.transactions.fixed_reading import fixed_reading
from discreet.transactions.read_record import record_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from fractions import Fraction

    import pyarrow as pa

    from discreet.channels.blocking import Blocked
    from discreet.publishing.ledger_entries import Entry
    from discreet.publishing.noisy_bundle import DpRelease
    from discreet.publishing.release import Release
    from discreet.publishing.signing import Passphrases
    from discreet.publishing.verification import Verification
    from discreet.thresholds import K, MinSupport, Support
    from discreet.transactions.read_record import ReadRecord
    from discreet.transactions.transactions import Transactions

    PathLike = str | os.PathLike[str]
    from discreet.differential_privacy.budget import Decimals
    from discreet.json_types import JsonObject, ParsedDocument
    from discreet.publishing.wrapping import WrappingKeywords
    from discreet.transactions.shapes.cell_rules import Names

__all__ = [
    "PlannedRelease",
    "PolicyRun",
    "RunMode",
    "output_of",
    "owner_report_of",
    "run_policy",
]

RunMode = Literal["publish", "check", "dry"]
_SHOWN = 3


@dataclass(frozen=True, eq=False, kw_only=True)
class PolicyRun(Tabular):
    """What became of a run, as `discreet.run_policy` returns it.

    Attributes
    ----------
    policy : Policy
        The policy.
    mode : str
        "publish"; or "check" or "dry", and nothing was written.
    output : Path
        The folder of the bundle, or where it would be.
    read : ReadRecord
        How the data were read.
    release : Release, DpRelease or None
        What was published, or would be; None if it has noise and nothing was published.
    left : dict of Fraction
        With noise: what is, or would be, left of the ledger's budget, where there is one.
    earlier : int
        The number of earlier releases in the ledger that it was audited together with.
    owner_report : Path or None
        The owner's report, or where it would be.
    verification : Verification or None
        Whether the bundle that was written holds; None if nothing was written.
    """

    policy: Policy
    mode: RunMode
    output: Path
    read: ReadRecord
    release: Release | DpRelease | None
    earlier: int
    left: Mapping[str, Fraction] = field(default_factory=dict)
    owner_report: Path | None = None
    verification: Verification | None = None

    @property
    def left_words(self) -> str:
        """What is left of the ledger's budget, in a sentence; empty without one."""
        return left_words(self.left)

    @property
    def safe(self) -> bool:
        """Whether all is well: what was published holds, or what would be published is safe."""
        return self.verification is None or self.verification.holds

    def to_dict(self) -> JsonObject:
        """Return the JSON form, for the owner alone: it says what was changed."""
        document: JsonObject = {"safe": True, "verdict": "within-budget"}
        if self.release is not None:
            document = self.release.to_dict()
            if self.mode != "publish":
                for name in ("files", "seal", "receipt", "signed"):
                    document.pop(name)
        if self.policy.method == "dp":
            document["left"] = {name: decimal_text(value) for name, value in self.left.items()}
        document |= {
            "mode": self.mode,
            "bundle": str(self.output),
            "policy": str(self.policy.path),
            "policy_digest": self.policy.digest,
            "earlier_releases": self.earlier,
            "changes": _cost(getattr(self.release, "blocked", None)),
        }
        if self.verification is not None:
            document["verified"] = self.verification.verdict
            document |= {} if self.safe else {"safe": False, "verdict": self.verification.verdict}
        if self.mode == "dry" and self.release is not None:
            document["itemsets"] = self.release.published.patterns.to_dict()["itemsets"]
        return document

    def to_arrow(self) -> pa.Table:
        """Return what was published, or would be, as an Arrow table of `items` and `support`."""
        if self.release is None:
            return PatternSet.from_itemsets([], n=0, min_support=1).to_arrow()
        return self.release.to_arrow()

    def __repr__(self) -> str:
        done = {"publish": "published", "check": "checked", "dry": "tried"}[self.mode]
        what = "nothing yet" if self.release is None else repr(self.release)[1:-1]
        return f"<PolicyRun: {done}; {what}>"


@dataclass(frozen=True, eq=False, kw_only=True)
class PlannedRelease:
    """A release that a policy asks for, with all that it takes to make it."""

    policy: Policy
    rows: Transactions
    wrapping: WrappingKeywords
    owner_report: OwnerFile | None
    rows_left: bool
    rows_added: bool
    fit_ledger: bool

    def release(self) -> Release | DpRelease:
        """Make the release; raise NotSafe if it is not safe."""
        policy = self.policy
        note = PolicyNote(policy.digest, policy.says)
        if policy.method == "dp":
            return release_dp(
                self.rows,
                **_asked(policy),
                budget_epsilon=policy.total_epsilon,
                budget_delta=policy.total_delta,
                reading=policy.options,
                policy=note,
                **self.wrapping,
            )
        return release(
            self.rows,
            k=cast("K", policy.k),
            min_support=cast("Support", policy.min_support),
            method=policy.method,
            target=policy.target,
            attack_steps=policy.attack_steps,
            exclusive=policy.exclusive or None,
            min_confidence=policy.min_confidence,
            quasi_identifiers=policy.quasi_identifying or None,
            sensitive=policy.sensitive or None,
            rho=policy.rho,
            rows_left=self.rows_left,
            rows_added=self.rows_added,
            fit_ledger=self.fit_ledger,
            owner_report=self.owner_report,
            policy=note,
            **self.wrapping,
        )


class _NoiseKeywords(TypedDict):
    epsilon: Decimals
    delta: Decimals | None
    min_support: MinSupport | None
    top: int | None
    universe: Names | None
    max_items: int | None
    public_n: bool


def _asked(policy: Policy) -> _NoiseKeywords:
    """Return what a policy with noise asks for, as `dp_patterns` takes it."""
    return {
        "epsilon": cast("Fraction", policy.epsilon),
        "delta": policy.delta,
        "min_support": None if policy.min_support is None else policy.min_support.value,
        "top": policy.top,
        "universe": policy.universe,
        "max_items": policy.max_items,
        "public_n": policy.public_n,
    }


def run_policy(
    policy: Policy | PathLike = POLICY_FILE,
    *,
    data: PathLike | None = None,
    output: PathLike | None = None,
    mode: RunMode = "publish",
    new_ledger: bool = False,
    accept_policy: bool = False,
    rows_left: bool = False,
    fit_ledger: bool = False,
    wait: float = SECONDS_TO_WAIT,
    passphrase: str | bytes | None = None,
    key_passphrase: Passphrases | None = None,
    force: bool = False,
) -> PolicyRun:
    r"""Publish what a policy says, or raise NotSafe and write nothing.

    Reads the data, checks that they are as the policy says, makes patterns safe, publishes and records them, and
    verifies the bundle.

    Parameters
    ----------
    policy : Policy or path, default "discreet.toml"
        The policy.
    data : path, optional
        The data, instead of those that the policy names.
    output : path, optional
        The folder to publish, instead of the policy's.
    mode : {"publish", "check", "dry"}
        What to do at the end: publish; or "check" and "dry", which write nothing. "dry" also lists the itemsets. With
        noise, "check" asks whether the ledger's budget suffices, and draws none; there is no "dry".
    new_ledger : bool, default False
        Whether to begin the ledger with this release.
    accept_policy : bool, default False
        Whether to go on with a policy that says something else than when the last release in the ledger was made.
    rows_left : bool, default False
        Whether rows have left the data since the earlier releases, although the policy may say that they stay.
    fit_ledger : bool, default False
        Whether to withhold what is not safe together with earlier releases, although the policy does not say so.
    wait : float, default 300
        How many seconds to wait for the ledger while another release is being made.
    passphrase : str or bytes, optional
        What the owner's files are encrypted with, or will be.
    key_passphrase : str or bytes, or list of them, optional
        The passphrases of the identities to sign with.
    force : bool, default False
        Whether to replace an existing bundle.

    Returns
    -------
    PolicyRun
        What was published, or would be.

    Raises
    ------
    NotSafe
        The data, or the policy, are not what they were; or nothing can be published safely. `UnsafeTogether` if earlier
        releases are the reason.
    ParameterError
        A parameter has an unusable value.
    DataError
        The policy, the data or the ledger cannot be used.
    OutputError
        The folder or a file exists or cannot be written.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "rows.dat").write_text("flu cough\n" * 30 + "flu\n" * 30)
    >>> _ = (folder / "discreet.toml").write_text(
    ...     'version = 1\ndata.file = "rows.dat"\nprotect.k = 5\n'
    ...     'patterns = { min_support = 20, method = "none" }\npublish.output = "public-{data}"\n'
    ... )
    >>> done = discreet.run_policy(folder / "discreet.toml")
    >>> done.output.name, done.verification.verdict
    ('public-rows', 'holds')
    """
    policy = policy if isinstance(policy, Policy) else read_policy(policy)
    one_of(mode, ("publish", "check", "dry"), parameter="mode")
    if policy.method == "dp":
        _check_noise_options(policy, mode, rows_left=rows_left, fit_ledger=fit_ledger)
    source = _source(policy, data)
    where = output_of(policy, source) if output is None else Path(output)
    report = _report(policy, source, where)
    check_bundle_folder(where, force=force)
    check_ledger_path(policy.ledger, new=new_ledger)
    keep_inputs([where, *([] if report is None else [Path(report.path)])], [source, policy.path])
    earlier, limits = _earlier(policy.ledger if not new_ledger else None, where, wait, passphrase)
    if not accept_policy:
        _check_same(policy, earlier)
    check_columns(policy, source)
    rows = read_as_said(policy, source)
    check_labels(policy, rows, source)
    planned = PlannedRelease(
        policy=policy,
        rows=rows,
        wrapping={
            "output": where,
            "title": policy.title,
            "sign": list(policy.sign) or None,
            "key_passphrase": key_passphrase,
            "ledger": policy.ledger,
            "new_ledger": new_ledger,
            "wait": wait,
            "passphrase": passphrase,
            "accept_void": False,
            "force": force,
        },
        owner_report=report,
        rows_left=rows_left,
        rows_added=policy.rows_added and policy.ledger is not None and not rows_left,
        fit_ledger=(policy.fit_ledger or fit_ledger) and policy.ledger is not None,
    )
    made = partial(
        PolicyRun,
        policy=policy,
        mode=mode,
        output=where,
        read=record_of(rows),
        earlier=len(earlier),
        owner_report=None if report is None else Path(report.path),
    )
    if policy.method == "dp":
        with _naming_keys(policy):
            fixed_reading(rows.read, policy.options)
            left = _left(policy, earlier, limits)
        done = _release(planned) if mode == "publish" else None
        verification = None if done is None else _verified(planned)
        return made(release=done, left=left, verification=verification)
    if mode != "publish":
        with _rehearsal(planned) as trial:
            return made(release=_release(trial))
    done = _release(planned)
    return made(release=done, verification=_verified(planned))


def _check_noise_options(policy: Policy, mode: RunMode, *, rows_left: bool, fit_ledger: bool) -> None:
    """Refuse options that mean nothing with noise."""
    if mode == "dry":
        raise ParameterError(
            f"{policy.path} publishes with noise, and looking at it twice would spend twice; instead of a dry run, "
            "check whether the budget suffices",
            parameter="mode",
        )
    for name, given in (("rows_left", rows_left), ("fit_ledger", fit_ledger)):
        if given:
            raise ParameterError(
                f"{param(name)} is of no use with noise, which adds up whatever the rows are; leave it out",
                parameter=name,
            )


def _left(policy: Policy, earlier: tuple[Entry, ...], stored: dict[str, str]) -> dict[str, Fraction]:
    """Return what a release would leave of the ledger's budget; raise NotSafe if it does not suffice."""
    budget = DpRequest.parse(**_asked(policy)).budget
    limits = stored | new_limits(stored, (policy.total_epsilon, policy.total_delta), ledger=policy.ledger)
    return check_budget(earlier, budget, limits=limits, replaced=policy.public_n)


def _cost(blocked: Blocked | None) -> JsonObject | None:
    """Return what was changed, in JSON: supports, and how many itemsets were withheld."""
    if blocked is None:
        return None
    return blocked.distortion.to_dict() | {"withheld": 0 if blocked.withheld is None else len(blocked.withheld)}


def _release(planned: PlannedRelease) -> Release | DpRelease:
    """Make the release; an error about what the policy says names its key."""
    with _naming_keys(planned.policy):
        return planned.release()


@contextmanager
def _naming_keys(policy: Policy) -> Iterator[None]:
    """Name the key of the policy in an error about what it says."""
    try:
        yield
    except ParameterError as error:
        section = section_of(in_toml(error.parameter))
        if section is None or section == "publish":
            raise
        raise DataError(f"{policy.path}, [{section}]: {spelled(error.message, in_toml)}") from None


def _source(policy: Policy, data: PathLike | None) -> str | None:
    """Return the data: those given, or those that the policy names; None if a query gives them."""
    if data is not None and policy.options.sql is not None:
        raise ParameterError(
            f"{policy.path} reads what a query gives, so {param('data')} cannot name a file; leave one of them out",
            parameter="data",
        )
    source = policy.file if data is None else data if isinstance(data, FileList) else str(data)
    if source is None and policy.options.sql is None:
        raise ParameterError(
            f"{policy.path} names no data: write file in [data], or give {param('data')}", parameter="data"
        )
    if source == "-":
        raise ParameterError("a run reads its data twice, so it takes no standard input; name a file", parameter="data")
    return source


def output_of(policy: Policy, source: str | None) -> Path:
    """Return the folder to publish, with its fields filled in."""
    if "{data}" in policy.output and (source is None or isinstance(source, FileList)):
        raise ParameterError(
            f"output has {{data}}, the name of the data's file, and there is not just one; give {param('output')}",
            parameter="output",
        )
    name = "" if source is None else Path(source).name.split(".")[0]
    return Path(policy.output.replace("{date}", datetime.now(UTC).date().isoformat()).replace("{data}", name))


def owner_report_of(policy: Policy, output: Path) -> Path | None:
    """Return where the owner's report on a folder goes; None if the policy asks for none."""
    return None if policy.owner_report is None else Path(policy.owner_report.replace("{name}", output.name))


def _report(policy: Policy, source: str | None, output: Path) -> OwnerFile | None:
    """Return where the owner's report goes, and what it says about the run."""
    path = owner_report_of(policy, output)
    if path is None:
        return None
    files = list(source.files) if isinstance(source, FileList) else source
    command = ("discreet", "run", str(policy.path), *option_words({"data": files, "output": output}))
    return OwnerFile(path, source=source or "the database", command=command)


def _earlier(
    ledger: Path | None, output: Path, wait: float, passphrase: str | bytes | None
) -> tuple[tuple[Entry, ...], dict[str, str]]:
    """Return the releases in a ledger, and its budget; none if there is none."""
    if ledger is None:
        return (), {}
    with open_ledger(ledger, wait=wait, passphrase=passphrase) as book:
        book.check_receipts(output)
        return book.entries, book.budget


def _check_same(policy: Policy, entries: tuple[Entry, ...]) -> None:
    """Refuse a policy that says something else than when the last release that followed one was made."""
    last = next((entry for entry in reversed(entries) if entry.policy is not None), None)
    if last is None or last.policy is None or last.policy.digest == policy.digest:
        return
    now: ParsedDocument = json.loads(json.dumps(policy.says))
    before = last.policy.says
    keys = [name for name in sorted({*now, *before}) if now.get(name) != before.get(name)]
    words = [_change(name, before.get(name), now.get(name)) for name in keys[:_SHOWN]]
    more = f" (and {len(keys) - _SHOWN} more)" if len(keys) > _SHOWN else ""
    raise PolicyDiffers(
        f"{policy.path} says something else than when release {last.number} was made, on {last.day}: "
        f"{'; '.join(words) or 'it was written for another version'}{more}; if that is meant, give "
        f"{param('accept_policy', value=True)}, and otherwise write what it said",
        "policy",
    )


def _change(name: str, before: Any, now: Any) -> str:
    section, _, key = name.partition(".")
    plain = all(each is None or isinstance(each, (int, str)) for each in (before, now))
    if plain:
        was, is_ = ("not there" if each is None else str(each) for each in (before, now))
        return f"{key} in [{section}] was {was}, and is {is_} now"
    return f"{key} in [{section}] {'is new' if before is None else 'is gone' if now is None else 'names others'}"


@contextmanager
def _rehearsal(planned: PlannedRelease) -> Iterator[PlannedRelease]:
    """Yield the same release in a folder for temporary files, with a copy of the ledger; nothing is signed."""
    with scratch_folder() as folder:
        wrapping: WrappingKeywords = {**planned.wrapping, "output": folder / "bundle", "sign": None, "force": False}
        if planned.policy.ledger is None:
            wrapping["passphrase"] = None
        else:
            wrapping["ledger"] = folder / "ledger"
            if not wrapping["new_ledger"]:
                with open_ledger(
                    planned.policy.ledger, wait=wrapping["wait"], passphrase=wrapping["passphrase"]
                ) as book:
                    book.copy(folder / "ledger")
        yield replace(planned, wrapping=wrapping, owner_report=None)


def _verified(planned: PlannedRelease) -> Verification:
    """Check the bundle that was written, as others can and as only its owner can."""
    data, output = None if planned.policy.method == "dp" else planned.rows, planned.wrapping["output"]
    if planned.policy.ledger is None:
        return verify(output, data=data)
    with open_ledger(
        planned.policy.ledger, wait=planned.wrapping["wait"], passphrase=planned.wrapping["passphrase"]
    ) as book:
        return verify(output, data=data, ledger=book)
