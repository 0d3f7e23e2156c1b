"""Publish patterns, not people.

A tour of one minute. Rows of items come from a file (`discreet.read`), a data frame or Python lists:

>>> import discreet
>>> rows = discreet.Transactions.from_rows([["tea", "milk"], ["tea", "milk", "sugar"], ["tea"], ["coffee", "milk"]])
>>> rows
<Transactions: 4 rows, 4 items, longest 3, mean 2.0>

Mining finds the itemsets that enough rows share; "50%" is half of the rows, 2 would be two of them:

>>> found = discreet.mine(rows, min_support="50%")
>>> [(sorted(itemset), support) for itemset, support in found]
[(['milk'], 3), (['tea'], 3), (['milk', 'tea'], 2)]

A result consists of arrays (`found.supports`); Python objects and tables are made on request
(`found.to_pandas()`, `found.to_polars()`, `found.to_arrow()`).

Reading and writing     look (what is this file?), Look, read, ReadRecord, write, Transactions, Vocabulary
Mining                  mine, PatternSet, rules, RuleSet
Asking                  query (how many rows have this and not that), is_vulnerable (is it made of patterns alone?),
                        audit (can anyone be singled out?), Audit, audit_report (for a checker's file), acro_output
                        (for one who works with SACRO), Channel,
                        Conclusion, tradeoff (how many groups at which support), Tradeoff
Making safe             block (raise supports or leave rows out until nobody can be), Blocked, hide (make given
                        patterns unminable from the rows), Hidden, hide_for (several recipients, one copy),
                        HiddenForAll, Recipient, TwoRecipients, InvertedFile
With noise              dp_patterns (itemsets under differential privacy), DpPatterns, release_dp (with its evidence),
                        DpRelease
Made-up rows            synthesize (rows that fit a bundle of patterns), SyntheticRelease, synthetic_rows, SyntheticRows
Publishing              release (a folder with its evidence), release_from, release_rows, Release, RowsRelease, verify
                        (does it hold?), Verification, sign (by a second person), Signed, open_ledger (what is public
                        already), Ledger
Every month             draft_policy (a first policy, from data), read_policy, Policy, run_policy (from reading to
                        verifying), PolicyRun
Rows themselves         check (can a sensitive item be inferred?), Checked, anonymize (until none can be), Anonymized,
                        loss_curve (at what cost), LossCurve, LossPoint
Tables                  kanon (generalize columns until no row stands out), AnonymousTable, compare, Comparison
Two parties             party (mine with a partner, neither showing rows), Joint, keygen, rehearse, Rehearsal,
                        party_agreement (a page to sign), make_salt, salted_keys (for ids that could be guessed)
Results as files        read_patterns, PatternRead, write_patterns, read_rules, write_rules: ours and other tools';
                        read_tree (a printed decision tree), DecisionTree
What can go wrong       DiscreetError and below it InputError (ParameterError, DataError, OutputError, TooManyPatterns),
                        NotSafe (it cannot be made safe; UnsafeTogether: not with what is public), EngineError
                        (PartnerError) and InternalFault (discreet itself is wrong)

The same jobs, under the same names, are on the command line: `discreet --help`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.channels.audit import Audit
    from discreet.channels.blocking import Blocked
    from discreet.channels.channel import Channel
    from discreet.channels.conclusions import Conclusion
    from discreet.channels.tradeoff import Tradeoff, tradeoff
    from discreet.channels.vulnerable import is_vulnerable
    from discreet.differential_privacy.private_itemsets import DpPatterns, dp_patterns
    from discreet.differential_privacy.synthetic_rows import SyntheticRows, synthetic_rows
    from discreet.engines import audit, block, check, hide, mine
    from discreet.errors import (
        DataError,
        DiscreetError,
        EngineError,
        InputError,
        InternalFault,
        NotSafe,
        OutputError,
        ParameterError,
        PartnerError,
        TooManyPatterns,
        UnsafeTogether,
    )
    from discreet.hiding.hide import Hidden
    from discreet.hiding.inverted_file import InvertedFile
    from discreet.hiding.recipients import HiddenForAll, Recipient, TwoRecipients, hide_for
    from discreet.microdata.comparison import Comparison, compare
    from discreet.microdata.kanon import AnonymousTable, kanon
    from discreet.patterns.look import Look, look
    from discreet.patterns.pattern_read import PatternRead
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.query import QueryResult, query
    from discreet.patterns.reading import read_patterns, read_rules
    from discreet.patterns.rules import rules
    from discreet.patterns.ruleset import RuleSet
    from discreet.patterns.trees import DecisionTree, read_tree
    from discreet.patterns.writing import write_patterns, write_rules
    from discreet.policy.draft import draft_policy
    from discreet.policy.policy import Policy, read_policy
    from discreet.policy.run import PolicyRun, run_policy
    from discreet.publishing.acro_output import acro_output
    from discreet.publishing.audit_report import audit_report
    from discreet.publishing.ledger import Ledger, open_ledger
    from discreet.publishing.noisy_bundle import DpRelease, release_dp
    from discreet.publishing.party_agreement import party_agreement
    from discreet.publishing.release import Release, release, release_from
    from discreet.publishing.rows_bundle import RowsRelease, release_rows
    from discreet.publishing.sign import Signed, sign
    from discreet.publishing.synthetic_bundle import SyntheticRelease, synthesize
    from discreet.publishing.verification import Verification
    from discreet.publishing.verifier import verify
    from discreet.transactions.read_record import ReadRecord
    from discreet.transactions.reading import read
    from discreet.transactions.transactions import Transactions
    from discreet.transactions.vocabulary import Vocabulary
    from discreet.transactions.writing import write
    from discreet.twoparty.identity import keygen
    from discreet.twoparty.party import Joint, party
    from discreet.twoparty.rehearsal import Rehearsal, rehearse
    from discreet.twoparty.salt import make_salt, salted_keys
    from discreet.uncertainty.anonymize import Anonymized, anonymize
    from discreet.uncertainty.check import Checked
    from discreet.uncertainty.loss_curve import LossCurve, LossPoint, loss_curve

    __version__: str

__all__ = [
    "Anonymized",
    "AnonymousTable",
    "Audit",
    "Blocked",
    "Channel",
    "Checked",
    "Comparison",
    "Conclusion",
    "DataError",
    "DecisionTree",
    "DiscreetError",
    "DpPatterns",
    "DpRelease",
    "EngineError",
    "Hidden",
    "HiddenForAll",
    "InputError",
    "InternalFault",
    "InvertedFile",
    "Joint",
    "Ledger",
    "Look",
    "LossCurve",
    "LossPoint",
    "NotSafe",
    "OutputError",
    "ParameterError",
    "PartnerError",
    "PatternRead",
    "PatternSet",
    "Policy",
    "PolicyRun",
    "QueryResult",
    "ReadRecord",
    "Recipient",
    "Rehearsal",
    "Release",
    "RowsRelease",
    "RuleSet",
    "Signed",
    "SyntheticRelease",
    "SyntheticRows",
    "TooManyPatterns",
    "Tradeoff",
    "Transactions",
    "TwoRecipients",
    "UnsafeTogether",
    "Verification",
    "Vocabulary",
    "__version__",
    "acro_output",
    "anonymize",
    "audit",
    "audit_report",
    "block",
    "check",
    "compare",
    "dp_patterns",
    "draft_policy",
    "hide",
    "hide_for",
    "is_vulnerable",
    "kanon",
    "keygen",
    "look",
    "loss_curve",
    "make_salt",
    "mine",
    "open_ledger",
    "party",
    "party_agreement",
    "query",
    "read",
    "read_patterns",
    "read_policy",
    "read_rules",
    "read_tree",
    "rehearse",
    "release",
    "release_dp",
    "release_from",
    "release_rows",
    "rules",
    "run_policy",
    "salted_keys",
    "sign",
    "synthesize",
    "synthetic_rows",
    "tradeoff",
    "verify",
    "write",
    "write_patterns",
    "write_rules",
]

# A name is loaded on first access: `import discreet` costs nothing, and `discreet --help` little.
_NAMES = {
    "discreet.channels.audit": "Audit",
    "discreet.channels.blocking": "Blocked",
    "discreet.channels.channel": "Channel",
    "discreet.channels.conclusions": "Conclusion",
    "discreet.channels.tradeoff": "Tradeoff tradeoff",
    "discreet.channels.vulnerable": "is_vulnerable",
    "discreet.differential_privacy.private_itemsets": "DpPatterns dp_patterns",
    "discreet.differential_privacy.synthetic_rows": "SyntheticRows synthetic_rows",
    "discreet.engines": "audit block check hide mine",
    "discreet.errors": "DataError DiscreetError EngineError InputError InternalFault NotSafe "
    "OutputError ParameterError PartnerError TooManyPatterns UnsafeTogether",
    "discreet.hiding.hide": "Hidden",
    "discreet.hiding.inverted_file": "InvertedFile",
    "discreet.hiding.recipients": "HiddenForAll Recipient TwoRecipients hide_for",
    "discreet.microdata.comparison": "Comparison compare",
    "discreet.microdata.kanon": "AnonymousTable kanon",
    "discreet.patterns.look": "Look look",
    "discreet.patterns.pattern_read": "PatternRead",
    "discreet.patterns.patternset": "PatternSet",
    "discreet.patterns.query": "QueryResult query",
    "discreet.patterns.reading": "read_patterns read_rules",
    "discreet.patterns.rules": "rules",
    "discreet.patterns.ruleset": "RuleSet",
    "discreet.patterns.trees": "DecisionTree read_tree",
    "discreet.patterns.writing": "write_patterns write_rules",
    "discreet.policy.draft": "draft_policy",
    "discreet.policy.policy": "Policy read_policy",
    "discreet.policy.run": "PolicyRun run_policy",
    "discreet.publishing.acro_output": "acro_output",
    "discreet.publishing.audit_report": "audit_report",
    "discreet.publishing.ledger": "Ledger open_ledger",
    "discreet.publishing.noisy_bundle": "DpRelease release_dp",
    "discreet.publishing.party_agreement": "party_agreement",
    "discreet.publishing.release": "Release release release_from",
    "discreet.publishing.rows_bundle": "RowsRelease release_rows",
    "discreet.publishing.sign": "Signed sign",
    "discreet.publishing.synthetic_bundle": "SyntheticRelease synthesize",
    "discreet.publishing.verification": "Verification",
    "discreet.publishing.verifier": "verify",
    "discreet.transactions.read_record": "ReadRecord",
    "discreet.transactions.reading": "read",
    "discreet.transactions.transactions": "Transactions",
    "discreet.transactions.vocabulary": "Vocabulary",
    "discreet.transactions.writing": "write",
    "discreet.twoparty.identity": "keygen",
    "discreet.twoparty.party": "Joint party",
    "discreet.twoparty.rehearsal": "Rehearsal rehearse",
    "discreet.twoparty.salt": "make_salt salted_keys",
    "discreet.uncertainty.anonymize": "Anonymized anonymize",
    "discreet.uncertainty.check": "Checked",
    "discreet.uncertainty.loss_curve": "LossCurve LossPoint loss_curve",
}
"""The public names, by the module that they are loaded from."""

_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:  # any of the names above
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("discreet")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
