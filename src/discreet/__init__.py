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
_HOMES = {
    "Anonymized": "discreet.uncertainty.anonymize",
    "AnonymousTable": "discreet.microdata.kanon",
    "Audit": "discreet.channels.audit",
    "Blocked": "discreet.channels.blocking",
    "Channel": "discreet.channels.channel",
    "Checked": "discreet.uncertainty.check",
    "Comparison": "discreet.microdata.comparison",
    "Conclusion": "discreet.channels.conclusions",
    "DataError": "discreet.errors",
    "DiscreetError": "discreet.errors",
    "DpRelease": "discreet.publishing.noisy_bundle",
    "DpPatterns": "discreet.differential_privacy.private_itemsets",
    "EngineError": "discreet.errors",
    "Hidden": "discreet.hiding.hide",
    "HiddenForAll": "discreet.hiding.recipients",
    "InputError": "discreet.errors",
    "InternalFault": "discreet.errors",
    "InvertedFile": "discreet.hiding.inverted_file",
    "Joint": "discreet.twoparty.party",
    "Ledger": "discreet.publishing.ledger",
    "Look": "discreet.patterns.look",
    "LossCurve": "discreet.uncertainty.loss_curve",
    "LossPoint": "discreet.uncertainty.loss_curve",
    "NotSafe": "discreet.errors",
    "OutputError": "discreet.errors",
    "ParameterError": "discreet.errors",
    "PartnerError": "discreet.errors",
    "PatternRead": "discreet.patterns.pattern_read",
    "PatternSet": "discreet.patterns.patternset",
    "Policy": "discreet.policy.policy",
    "PolicyRun": "discreet.policy.run",
    "QueryResult": "discreet.patterns.query",
    "ReadRecord": "discreet.transactions.read_record",
    "Recipient": "discreet.hiding.recipients",
    "Release": "discreet.publishing.release",
    "RowsRelease": "discreet.publishing.rows_bundle",
    "Signed": "discreet.publishing.sign",
    "RuleSet": "discreet.patterns.ruleset",
    "TooManyPatterns": "discreet.errors",
    "Tradeoff": "discreet.channels.tradeoff",
    "Transactions": "discreet.transactions.transactions",
    "UnsafeTogether": "discreet.errors",
    "Verification": "discreet.publishing.verification",
    "Vocabulary": "discreet.transactions.vocabulary",
    "anonymize": "discreet.uncertainty.anonymize",
    "audit": "discreet.engines",
    "acro_output": "discreet.publishing.acro_output",
    "audit_report": "discreet.publishing.audit_report",
    "block": "discreet.engines",
    "check": "discreet.engines",
    "compare": "discreet.microdata.comparison",
    "dp_patterns": "discreet.differential_privacy.private_itemsets",
    "draft_policy": "discreet.policy.draft",
    "hide": "discreet.engines",
    "hide_for": "discreet.hiding.recipients",
    "is_vulnerable": "discreet.channels.vulnerable",
    "kanon": "discreet.microdata.kanon",
    "keygen": "discreet.twoparty.identity",
    "look": "discreet.patterns.look",
    "loss_curve": "discreet.uncertainty.loss_curve",
    "make_salt": "discreet.twoparty.salt",
    "mine": "discreet.engines",
    "party": "discreet.twoparty.party",
    "party_agreement": "discreet.publishing.party_agreement",
    "rehearse": "discreet.twoparty.rehearsal",
    "salted_keys": "discreet.twoparty.salt",
    "Rehearsal": "discreet.twoparty.rehearsal",
    "TwoRecipients": "discreet.hiding.recipients",
    "open_ledger": "discreet.publishing.ledger",
    "query": "discreet.patterns.query",
    "read": "discreet.transactions.reading",
    "read_patterns": "discreet.patterns.reading",
    "read_policy": "discreet.policy.policy",
    "read_rules": "discreet.patterns.reading",
    "read_tree": "discreet.patterns.trees",
    "DecisionTree": "discreet.patterns.trees",
    "release": "discreet.publishing.release",
    "release_dp": "discreet.publishing.noisy_bundle",
    "SyntheticRelease": "discreet.publishing.synthetic_bundle",
    "SyntheticRows": "discreet.differential_privacy.synthetic_rows",
    "synthesize": "discreet.publishing.synthetic_bundle",
    "synthetic_rows": "discreet.differential_privacy.synthetic_rows",
    "release_from": "discreet.publishing.release",
    "release_rows": "discreet.publishing.rows_bundle",
    "rules": "discreet.patterns.rules",
    "run_policy": "discreet.policy.run",
    "sign": "discreet.publishing.sign",
    "tradeoff": "discreet.channels.tradeoff",
    "verify": "discreet.publishing.verifier",
    "write": "discreet.transactions.writing",
    "write_patterns": "discreet.patterns.writing",
    "write_rules": "discreet.patterns.writing",
}


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
