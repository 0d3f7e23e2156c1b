"""`discreet demo`: the whole job on synthetic data.

The demo is a story in steps. Each step does one job of the program, leaves its files in the folder, and adds its
findings to the output at the end; a new job becomes a new step.
"""

# `command` reads the annotations at run time.

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import discreet
from discreet.answers.answer import Answer, Listing, Step
from discreet.cli.command import Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import Force, TalkingOptions
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give
from discreet.json_types import JsonObject
from discreet.tables.whole import whole_folder
from discreet.wording import Unit, counted

with on_first_use():
    from discreet.answers import audit_and_block as audit_answers
    from discreet.answers import pattern_summary, small_groups
    from discreet.answers import releases as release_answers
    from discreet.channels import blocking
    from discreet.cli import screen
    from discreet.patterns import mining
    from discreet.publishing import release as releases_of_patterns
    from discreet.transactions import generate as generators

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.channels.audit import Audit
    from discreet.channels.blocking import Blocked
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.release import Release
    from discreet.publishing.verification import Verification
    from discreet.transactions.transactions import Transactions

__all__ = ["demo"]

STAYS = 4000
SEED = 1
MIN_SUPPORT = "14%"
K = 10
METHOD: Literal["additive"] = "additive"
TITLE = "What the stays of an invented hospital have in common"

ROWS = "hospital.csv"
PATTERNS = "patterns.csv"
PUBLIC = "public"
OWNER = "owner-report.html"
FILES = {
    ROWS: "the stays, one on each line: never leaves the building",
    PATTERNS: "the itemsets as they were found: not safe to publish",
    f"{PUBLIC}/report.html": "what is published and what is promised: open it in a browser",
    f"{PUBLIC}/": "all that is published: patterns, report, certificate",
    OWNER: "what was found and changed, for the owner alone: open it, too",
}


@command(examples="discreet demo\ndiscreet demo -o tour")
def demo(
    *,
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            writes=True,
            metavar="DIR",
            help="Leave the files in DIR; otherwise in a temporary folder.",
        ),
    ] = None,
    force: Force = False,
    talking: TalkingOptions,
) -> None:
    """Show the whole job on made-up hospital data.

    Makes the stays of 4,000 patients who do not exist, finds what many of them share, asks whether that may be
    published, makes it safe, publishes it with its evidence, checks that evidence, and leaves the files for you to
    look at and to try the other commands on.
    """
    with _folder(output, force=force) as (folder, final), patience_note("Telling the story", quiet=talking.quiet):
        rows = _make_rows(folder / ROWS)
        found = _mine(rows, folder / PATTERNS)
        judged = _audit(rows)
        blocked = _block(rows)
        released = _release(rows, folder, final)
        verified = _verify(rows, folder / PUBLIC)
    story = _Story(final, rows, found, judged, blocked, released, verified)
    give(story.to_dict, lambda: _answer(story), json=talking.json)


@dataclass(frozen=True, eq=False)
class _Story:
    """What the steps found; the files are in `folder`."""

    folder: Path
    rows: "Transactions"
    found: "PatternSet"
    judged: "Audit"
    blocked: "Blocked"
    released: "Release"
    verified: "Verification"

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {
            "folder": str(self.folder),
            "files": {name: str(self.folder / name) for name in FILES},
            **self.found.heading(),
            "audit": {
                "safe": self.judged.safe,
                "k": self.judged.k,
                "channels": len(self.judged.channels),
                "border": len(self.judged.border or ()),
            },
            "block": {"method": self.blocked.method, "distortion": self.blocked.distortion.to_dict()},
            "release": {"count": len(self.released.published.patterns), "seal": self.released.certificate.seal},
            "verify": {"safe": self.verified.holds},
        }


def _make_rows(path: Path) -> "Transactions":
    """Generate the stays, and read them back as a user would."""
    discreet.write(generators.hospital(rows=STAYS, seed=SEED), path)
    return discreet.read(path)


def _mine(rows: "Transactions", path: Path) -> "PatternSet":
    """Find what many stays have in common."""
    found = mining.mine(rows, min_support=MIN_SUPPORT)
    discreet.write_patterns(found, path)
    return found


def _audit(rows: "Transactions") -> "Audit":
    """Audit the patterns."""
    return discreet.audit(rows, k=K, min_support=MIN_SUPPORT)


def _block(rows: "Transactions") -> "Blocked":
    """Make the patterns safe, and measure the cost."""
    return blocking.block(rows, k=K, min_support=MIN_SUPPORT, method=METHOD)


def _release(rows: "Transactions", folder: Path, final: Path) -> "Release":
    """Publish them with evidence."""
    return discreet.release(
        rows,
        k=K,
        min_support=MIN_SUPPORT,
        method=METHOD,
        title=TITLE,
        output=folder / PUBLIC,
        owner_report=releases_of_patterns.OwnerFile(
            folder / OWNER,
            source=str(final / ROWS),
            command=tuple(_release_words(final, PUBLIC)),
            bundle=str(final / PUBLIC),
        ),
    )


def _verify(rows: "Transactions", bundle: Path) -> "Verification":
    """Check the evidence."""
    return discreet.verify(bundle, data=rows)


def _release_words(folder: Path, bundle: str) -> list[str]:
    settings = ["-s", MIN_SUPPORT, "-k", str(K), "--method", METHOD]
    return ["discreet", "release", str(folder / ROWS), *settings, "-o", str(folder / bundle)]


def _answer(story: _Story) -> "Answer":
    folder, found, judged = story.folder, story.found, story.judged
    data, public = str(folder / ROWS), str(folder / PUBLIC)
    checks = counted(len(story.verified.checks), "check")
    keeps = f"{'Yes' if story.verified.holds else 'No'}: {checks}, from digests to an audit of the published files."
    return Answer(
        pattern_summary.first_line(found, Unit("made-up stay", "made-up stays")),
        [
            pattern_summary.pattern_table(found, story.rows.item_supports(), screen.screen_width()),
            pattern_summary.pattern_sizes(found),
            "May these patterns be published?",
            audit_answers.audit_headline(judged),
            *small_groups.smallest_groups(judged, shown=2),
            *small_groups.groups_beyond(judged, shown=1),
            f"What does it take to make them safe?\n{audit_answers.what_it_took(story.blocked)}",
            release_answers.release_headline(story.released),
            f"Does what is published keep its promise? {keeps}",
            Listing(f"Files in {folder}", list(FILES.items())),
        ],
        [
            Step(["discreet", "verify", public, "--data", data], "checks again what was published"),
            Step(["discreet", "audit", data, "-s", MIN_SUPPORT, "-k", str(K)], "shows more of the groups found"),
            Step(_release_words(folder, "again"), "publishes it once more"),
        ],
    )


@contextmanager
def _folder(output: Path | None, *, force: bool) -> "Iterator[tuple[Path, Path]]":
    """Yield the folder to write in, and the final folder."""
    if output is None:
        new = Path(tempfile.mkdtemp(prefix="discreet-demo-"))
        try:
            yield new, new
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
    else:
        with whole_folder(output, force=force, keep_others=True) as temporary:
            yield temporary, output
