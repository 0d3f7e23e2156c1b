"""The owner's report: every figure in it is one of the story, and every page says that it stays inside."""

from __future__ import annotations

import re
import shlex
from html import unescape

import numpy as np
import pytest

from discreet.patterns.mining import mine
from discreet.publishing.owner_report import owner_report
from discreet.transactions.generate import hospital
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from tests.conftest import ROOT
from tests.publishing.stories import HOSTILE, hospital_story, hostile_story, story_of, words_of


def running_example() -> Transactions:
    return read(ROOT / "tests" / "data" / "running-example.dat")


def sums_of(page: str) -> list[tuple[int, int]]:
    """Return what each sum in the page says it is, and what its lines add up to."""
    found = []
    for block in re.findall(r'<div class="sum">(.*?)</div>', page, flags=re.DOTALL):
        signed = re.findall(r"<span>([−+]?) ([\d,]+)</span>", block)
        (said,) = re.findall(r"<b>= ([\d,]+)</b>", block)
        total = sum(int(digits.replace(",", "")) * (-1 if sign == "−" else 1) for sign, digits in signed)
        found.append((int(said.replace(",", "")), total))
    return found


def test_the_mushrooms_story(data_folder):
    rows = read(data_folder / "mushroom.dat.gz")
    said = words_of(owner_report(story_of(rows, k=10, min_support="60%", method="additive")))
    assert "8,124 rows, patterns of at least 4,875 rows (60 %)" in said
    assert (
        "8 of 8,124 rows are in a group of 1 to 9 that anyone can compute (3 channels), and 40 small groups follow"
        in said
    )
    assert "8 rows have 34 , 85 and none of 39 , 86 7,914 have 34 , 85 − 5,402 also have 39" in said
    assert "10 rows with 34 , 85 , 90" in said
    assert "8 of 52 supports changed, by 0.137 % at most" in said
    assert "The number of rows went from 8,124 to 8,134." in said
    assert "Rows added virtually 10" in said
    assert "The lowest support with no channel for k = 20 is 97.3 % (7,907 rows), also for k = 10" in said
    assert "Do not tell the number of rows, 8,124, nor the support asked for, 4,875" in said


@pytest.mark.parametrize("method", ["additive", "suppressive"])
def test_every_sum_adds_up_and_is_a_small_group(method: str):
    story = hospital_story(method)
    sums = sums_of(owner_report(story))
    assert len(sums) == 10
    assert all(said == total and 0 < said < story.before.k for said, total in sums)
    assert sums == sorted(sums)  # worst first


def test_exposed_rows_are_named_by_their_place():
    story = story_of(running_example(), k=3, min_support=8, method="additive")
    page = words_of(owner_report(story))
    assert story.exposed_rows == (7, 8, 12)
    assert "3 rows of 12 are in at least one of these groups. They are, counted from 1 in the data: 7 to 8, 12" in page


def test_supports_before_and_after_of_the_running_example():
    page = owner_report(story_of(running_example(), k=3, min_support=8, method="additive"))
    lines = [
        (unescape(re.sub(r"<[^>]+>|,| ", "", items)), *re.findall(r"<td>([^<]+)</td>", cells))
        for items, cells in re.findall(r'<tr><th scope="row" class="items">(.*?)</th>(.*?)</tr>', page)
    ]
    told = {items: (before, after) for items, before, after, *_ in lines}
    closed = {"".join(sorted(labels)): str(support) for labels, support in mine(running_example(), min_support=8)}
    assert {items: before for items, (before, _) in told.items()} == closed
    changes = [abs(int(change.replace("−", "-"))) for _, _, _, change, _ in lines]
    assert changes == sorted(changes, reverse=True)
    assert all(
        int(after) - int(before) == change for (before, after), change in zip(told.values(), changes, strict=True)
    )


def test_itemsets_that_suppression_loses_are_told():
    page = owner_report(story_of(running_example(), k=3, min_support=8, method="suppressive"))
    said = words_of(page)
    assert "3 rows were left out, and the rest mined anew" in said
    assert "3 itemsets are no longer published: support 0 below." in said  # a, ab and ae
    assert "Largest change of a support 100 %" in said
    # de and e are no longer closed, but still in 9 rows, as cde is
    assert re.search(r"e 11 9 −2 18.2 %", said)


def test_supports_after_are_those_of_the_witness():
    story = hospital_story("suppressive")
    page = owner_report(story)
    closed, rows = story.before.collection.closed, story.blocked.witness
    columns = re.search(r'"kind":"count","values":\[([\d,]+)\]\},\{"kind":"change"', page)
    after = np.array(columns[1].split(","), np.int64)
    held = [set(rows.items[start:stop].tolist()) for start, stop in zip(rows.offsets, rows.offsets[1:], strict=False)]
    for place in range(0, len(closed), 7):
        wanted = set(closed.items[closed.offsets[place] : closed.offsets[place + 1]].tolist())
        count = sum(wanted <= row for row in held)
        assert after[place] == (count if count >= story.blocked.min_support else 0)


def test_where_nothing_was_changed_that_must_not_be_told_either():
    rows = Transactions.from_rows(["ab"] * 40 + ["a"] * 20 + ["c"] * 10)
    said = words_of(owner_report(story_of(rows, k=3, min_support=10, method="none")))
    assert "1. Found: safe as it was" in said
    assert "2. Changed: nothing" in said
    assert "that, too, must not be told" in said
    assert "Nothing: no support changed" in said


def test_what_follows_for_items_that_are_not_published_together_is_told_with_its_sums():
    lists = ["abc"] * 3 + ["ab"] * 6 + ["ac"] * 5 + ["bc"] * 2 + ["b"] * 3 + ["c"] * 3  # as in Example 17
    story = story_of(Transactions.from_rows(lists), k=3, min_support=5, method="suppressive")
    assert len(story.before.border)
    said = words_of(owner_report(story))
    assert "These follow for items that would not have been published together" in said
    assert "2 rows have b , c and not a" in said


def test_each_bound_of_the_attacker_can_be_redone_line_by_line():
    rows = hospital(rows=4000, seed=1)
    page = owner_report(story_of(rows, k=10, min_support="13%", method="none"))
    blocks = re.findall(r'<div class="sum bound">(.*?)</div>', page, flags=re.DOTALL)
    assert len(blocks) >= 10
    for block in blocks:
        lines = re.findall(r"<span>([-−+(×\d, )]+)</span>", block)
        (said,) = re.findall(r"<b>= ([\d,]+)</b>", block)
        sum_ = " ".join(lines).replace("−", "-").replace("×", "*").replace(",", "")
        assert eval(sum_) == int(said)  # noqa: S307 - digits, brackets and signs
    said = words_of(page)
    assert "2 rows have diagnosis hip fracture and none of drug paracetamol , ward orthopaedics" in said
    assert "(561 − 530) have diagnosis hip fracture , drug enoxaparin and not ward orthopaedics" in said
    assert "− (851 − 822) have drug enoxaparin , drug paracetamol and not ward orthopaedics = 2 at least that" in said


def test_a_support_below_k_is_raised_and_told():
    lists = ["ab"] * 40 + ["a"] * 20 + ["c"] * 10 + ["d"] * 2
    calm = words_of(owner_report(story_of(Transactions.from_rows(lists), k=3, min_support=1, method="additive")))
    said = words_of(
        owner_report(story_of(Transactions.from_rows([*lists, "b"]), k=3, min_support=1, method="additive"))
    )
    for words in (calm, said):
        assert "The support asked for, 1, was raised to 3" in words
    assert "2. Changed: nothing" in calm
    assert "that, too, must not be told" in calm
    assert "Itemsets whose support changed 2 of 5" in said  # b and the empty one, of a, b, c, ab; d has 2 rows


def test_commands_can_be_pasted():
    story = hospital_story()
    page = owner_report(story)
    commands = [shlex.split(unescape(command)) for command in re.findall(r"<pre>(.*?)</pre>", page)]
    assert commands == [list(story.command), ["discreet", "verify", story.bundle]]


def test_every_page_says_that_it_stays_inside():
    page = owner_report(hospital_story())
    assert "<title>Not for release" in page
    assert "Not for release: this page is for the owner of the data alone" in words_of(page)
    assert re.search(r"@page \{ @top-center \{ content: \"NOT FOR RELEASE", page)
    assert '<div class="stamp" aria-hidden="true">NOT FOR RELEASE</div>' in page


def test_the_same_story_gives_the_same_bytes_and_hostile_words_are_text():
    assert owner_report(hostile_story()) == owner_report(hostile_story())
    page = owner_report(hostile_story())
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img" not in page
    assert HOSTILE[0] not in page
