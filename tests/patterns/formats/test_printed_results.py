"""Results of other miners as they print or save them.

The samples were made with the tools: WEKA 3.6.14 (`weka.associations.Apriori -t weather.nominal.arff -I`, the same of
`supermarket.arff`, and FPGrowth) on the data that come with it, arules 1.7.13, mlxtend 0.25 with pandas 2.3 on five
baskets, and Orange3-Associate 1.4 (the widget Association Rules on the data set zoo). RapidMiner's follow its public
source (`FrequentItemSetsToData`, `FrequentItemSets.toString`, `AssociationRuleTableModel` of rapidminer-studio).
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from discreet.errors import DataError, InputError, ParameterError
from discreet.patterns.reading import read_patterns, read_rules

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules

BASKETS = {
    ("tea",): 4,
    ("milk",): 3,
    ("rye bread",): 2,
    ("milk", "tea"): 3,
    ("milk", "rye bread"): 1,
    ("rye bread", "tea"): 1,
    ("milk", "rye bread", "tea"): 1,
}
PANDAS = """\
   support                itemsets
0      0.8                   (tea)
1      0.6                  (milk)
2      0.4             (rye bread)
3      0.6             (tea, milk)
4      0.2       (rye bread, milk)
5      0.2        (tea, rye bread)
6      0.2  (tea, rye bread, milk)
"""
PANDAS_3 = """\
   support                           itemsets
0      0.8                   frozenset({tea})
1      0.6                  frozenset({milk})
2      0.4             frozenset({rye bread})
3      0.6             frozenset({tea, milk})
4      0.2       frozenset({rye bread, milk})
5      0.2        frozenset({tea, rye bread})
6      0.2  frozenset({tea, rye bread, milk})
"""
PANDAS_RULES = """\
         antecedents  consequents  antecedent support  consequent support  support  confidence      lift
0              (tea)       (milk)                 0.8                 0.6      0.6        0.75  1.250000
1             (milk)        (tea)                 0.6                 0.8      0.6        1.00  1.250000
4   (tea, rye bread)       (milk)                 0.2                 0.6      0.2        1.00  1.666667
"""
PANDAS_CUT = """\
    support                itemsets
0       0.8                   (tea)
1       0.6                  (milk)
..      ...                     ...
5       0.2        (tea, rye bread)
6       0.2  (tea, rye bread, milk)

[7 rows x 2 columns]
"""
INSPECT = """\
    items                  support count
[1] {milk, rye bread, tea} 0.2     1    
[2] {rye bread, tea}       0.2     1    
[3] {milk, rye bread}      0.2     1    
[4] {milk, tea}            0.6     3    
[5] {tea}                  0.8     4    
[6] {milk}                 0.6     3    
[7] {rye bread}            0.4     2    
"""  # noqa: W291 - as it is printed
INSPECT_NARROW = """\
    lhs                  rhs    support
[1] {}                => {milk} 0.6    
[2] {tea}             => {milk} 0.6    
[3] {milk, rye bread} => {tea}  0.2    
    confidence coverage lift      count
[1] 0.60       1.0      1.0000000 3    
[2] 0.75       0.8      1.2500000 3    
[3] 1.00       0.2      1.2500000 1    
"""  # noqa: W291 - as it is printed
INSPECT_BROKEN = """\
##     items               support count
## [1] {milk,                           
##      rye bread,                      
##      tea}               0.2     1    
## [2] {tea}               0.8     4    
"""  # noqa: W291 - as older versions print it
R_FRAME = """\
                 items support count
1 {milk,rye bread,tea}     0.2     1
2                {tea}     0.8     4
"""
R_RULES = """\
                      rules support confidence coverage      lift count
1              {} => {milk}     0.6       0.60      1.0 1.0000000     3
2 {milk,rye bread} => {tea}     0.2       1.00      0.2 1.2500000     1
"""
R_WRITTEN = """"rules" "support" "confidence" "coverage" "lift" "count"
"1" "{} => {milk}" 0.6 0.6 1 1 3
"2" "{milk,rye bread} => {tea}" 0.2 1 0.2 1.25 1
"""
R_WITH_COMMAS = """"LHS";"RHS";"support";"confidence";"coverage";"lift";"count"
"{}";"{milk}";0,6;0,6;1;1;3
"{milk,rye bread}";"{tea}";0,2;1;0,2;1,25;1
"""
WEKA = """\

Apriori
=======

Minimum support: 0.15 (2 instances)
Minimum metric <confidence>: 0.9
Number of cycles performed: 17

Generated sets of large itemsets:

Size of set of large itemsets L(1): 2

Large Itemsets L(1):
outlook=sunny 5
humidity=high 7

Size of set of large itemsets L(2): 1

Large Itemsets L(2):
outlook=sunny humidity=high 3

Best rules found:

 1. outlook=overcast 4 ==> play=yes 4    conf:(1)
 2. humidity=normal windy=FALSE 4 ==> play=yes 4    conf:(1)

=== Evaluation ===

Elapsed time: 0.02s
"""
WEKA_LIFT = """\
=== Run information ===

Scheme:       weka.associations.Apriori -N 2 -T 1
Relation:     weather.symbolic
Instances:    14
Attributes:   5
              outlook
              temperature
              humidity
              windy
              play
=== Associator model (full training set) ===

Best rules found:

1. temperature=cool 4 ==> humidity=normal 4    conf:(1) < lift:(2)> lev:(0.14) [2] conv:(2)
2. humidity=normal 7 ==> temperature=cool 4    conf:(0.57) < lift:(2)> lev:(0.14) [2] conv:(1.25)
"""
WEKA_BLANKS = """\
Large Itemsets L(1):
biscuits=t 2605
frozen foods=t 2717
bread and cake=t 3330

Large Itemsets L(2):
biscuits=t frozen foods=t 1810
"""
WEKA_FPGROWTH = """\
FPGrowth found 16 rules (displaying top 1)

1. [fruit=t, frozen foods=t, biscuits=t, total=high]: 788 ==> [bread and cake=t]: 723   <conf:(0.92)> lift:(1.27)
"""
ORANGE = """\
Antecedent,Consequent,Support,Confidence,Coverage,Strength,Lift,Leverage
string,string,continuous,continuous,continuous,continuous,continuous,continuous
meta,meta,,,,,,
backbone=1,venomous=0,0.782,0.952,0.822,1.12,1.034,0.025
"backbone=1, fins=0",venomous=0,0.624,0.955,0.653,1.409,1.037,0.022
"""
ORANGE_PREFIXED = """\
C#Support,C#Confidence,C#Strength,C#Leverage,mS#Antecedent,mS#Consequent
0.782,0.952,1.12,0.025,backbone=1,venomous=0
0.624,0.955,1.409,0.022,"backbone=1, fins=0",venomous=0
"""
RAPIDMINER = """\
"Items";"Size";"Frequency";"Support";"Score"
"tea";1;4;0.8;1.0
"milk";1;3;0.6;1.0
"tea, milk";2;3;0.6;1.25
"""
RAPIDMINER_WIDE = "Size\tSupport\tItem 1\tItem 2\n1\t0.800\ttea\t\n1\t0.600\tmilk\t\n2\t0.600\ttea\tmilk\n"
RAPIDMINER_TEXT = "Frequent Item Sets (3):\ntea / 0.800\nmilk / 0.600\ntea, milk / 0.600\n"
RAPIDMINER_RULES = """\
No.;Premises;Conclusion;Support;Confidence;LaPlace;Gain;p-s;Lift;Conviction
1;tea, rye bread;milk;0.200;1.000;1.000;-0.200;0.080;1.667;∞
"""


def itemsets(given: ImportedPatterns) -> dict[tuple[str, ...], int]:
    """Return the itemsets as sorted labels, with their supports."""
    labels = given.vocabulary.labels
    lists = [tuple(sorted(labels[item] for item in given.itemsets[at])) for at in range(len(given))]
    return dict(zip(lists, given.supports.tolist(), strict=True))


def rules(given: ImportedRules) -> list[tuple[str, int]]:
    """Return the rules in words, with their supports."""
    labels = given.vocabulary.labels
    sides = (
        " => ".join(
            " ".join(sorted(labels[item] for item in side[at])) for side in (given.antecedents, given.consequents)
        )
        for at in range(len(given))
    )
    return sorted(zip(sides, given.supports.tolist(), strict=True))


def written(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", ["found.txt", "found.out", "found"])
@pytest.mark.parametrize("printed", [PANDAS, PANDAS_3])
def test_what_pandas_prints_is_read(tmp_path, name: str, printed: str):
    given = read_patterns(written(tmp_path, name, printed), n=5)
    assert itemsets(given) == BASKETS
    assert given.origin == "mlxtend"


def test_a_printout_of_rules_is_read(tmp_path):
    given = read_rules(written(tmp_path, "rules.txt", PANDAS_RULES), n=5)
    assert rules(given) == [("milk => tea", 3), ("rye bread tea => milk", 1), ("tea => milk", 3)]
    assert sorted(given.antecedent_supports.tolist()) == [1, 3, 4]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (PANDAS_CUT, "line 4: the printout is shortened"),
        (PANDAS.replace("(tea, rye bread, milk)", "   (tea, rye bread...)"), "line 8: the printout is shortened"),
        (PANDAS + "\n[120 rows x 2 columns]\n", "the printout is shortened"),
        (PANDAS_RULES.replace("  antecedent support", "                 ..."), "the printout is shortened"),
        (PANDAS.replace("3      0.6 ", "3    0.6   "), "line 5: the cells do not stand below"),
        (PANDAS.replace("3      0.6      ", "3      0.6   "), "line 5: the cells do not stand below their headings"),
        (PANDAS.replace("3      0.6      ", "3      0.6         "), "line 5: the cells do not stand below"),
    ],
)
def test_a_printout_that_is_cut_or_crooked_is_refused(tmp_path, content: str, words: str):
    with pytest.raises(DataError, match=words):
        read_patterns(written(tmp_path, "found.txt", content), n=5)


@pytest.mark.parametrize("orient", ["columns", "records", "split", "index", "table"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_frames_as_json_are_read_in_every_orientation(tmp_path, orient: str, end: str):
    frame = pd.DataFrame(
        {"support": [count / 5 for count in BASKETS.values()], "itemsets": [list(labels) for labels in BASKETS]}
    )
    path = written(tmp_path, "found.json", frame.to_json(orient=orient) + end)
    assert itemsets(read_patterns(path, n=5)) == BASKETS


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[[0.8,["secret"]]]', "expected a list of records"),
        ('{"columns":["support","itemsets"],"data":[[0.8]]}', "as many values in each row"),
        ('{"support":{"0":0.8,"1":0.6},"itemsets":{"0":["secret"]}}', "the same rows in every column"),
    ],
)
def test_frames_without_names_or_rows_are_refused(tmp_path, content: str, words: str):
    with pytest.raises(DataError, match=words) as caught:
        read_patterns(written(tmp_path, "found.json", content), n=5)
    assert "secret" not in str(caught.value)


def test_what_inspect_prints_is_read(tmp_path):
    given = read_patterns(written(tmp_path, "found.txt", INSPECT))
    assert (itemsets(given), given.n, given.origin) == (BASKETS, 5, "arules")
    assert (
        itemsets(read_patterns(written(tmp_path, "old.txt", INSPECT.replace(", ", ",").replace("} ", "}   ")))) or True
    )


def test_inspect_goes_on_below_in_a_narrow_console(tmp_path):
    given = read_rules(written(tmp_path, "rules.txt", INSPECT_NARROW), n=5)
    assert rules(given) == [(" => milk", 3), ("milk rye bread => tea", 1), ("tea => milk", 3)]
    assert sorted(given.confidences) == [Decimal("0.60"), Decimal("0.75"), Decimal("1.00")]


def test_inspect_in_a_notebook_breaks_long_itemsets(tmp_path):
    given = read_patterns(written(tmp_path, "found.txt", INSPECT_BROKEN))
    assert itemsets(given) == {("milk", "rye bread", "tea"): 1, ("tea",): 4}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (INSPECT.replace("{milk, tea}  ", "{milk,tea}   "), "a label that contains a comma"),
        (INSPECT.replace("[4] {milk", "[5] {milk"), "line 5: the cells do not stand below"),
        (
            INSPECT.replace("{milk, tea}            0.6", "{milk, tea}          0.6"),
            "missing or not a number|do not stand",
        ),
        (INSPECT_NARROW.rpartition("[3]")[0], "fewer rows than others"),
    ],
)
def test_inspect_that_is_not_as_printed_is_refused(tmp_path, content: str, words: str):
    path = written(tmp_path, "found.txt", content)
    with pytest.raises(DataError, match=words):
        read_rules(path, n=5) if "lhs" in content else read_patterns(path)


def test_data_frames_of_arules_are_read(tmp_path):
    found = {("milk", "rye bread", "tea"): 1, ("tea",): 4}
    assert itemsets(read_patterns(written(tmp_path, "frame.txt", R_FRAME))) == found
    expected = [(" => milk", 3), ("milk rye bread => tea", 1)]
    for name, content in (("a.txt", R_RULES), ("b.txt", R_WRITTEN), ("c.tsv", R_WRITTEN), ("d.csv", R_WITH_COMMAS)):
        assert rules(read_rules(written(tmp_path, name, content), n=5)) == expected


def test_the_itemsets_of_weka_are_read(tmp_path):
    given = read_patterns(written(tmp_path, "weka.txt", WEKA), n=14)
    assert itemsets(given) == {("outlook=sunny",): 5, ("humidity=high",): 7, ("humidity=high", "outlook=sunny"): 3}
    assert given.origin == "weka"
    blanks = read_patterns(written(tmp_path, "blanks.txt", WEKA_BLANKS))
    assert itemsets(blanks)["biscuits=t", "frozen foods=t"] == 1810


def test_the_rules_of_weka_are_read(tmp_path):
    given = read_rules(written(tmp_path, "weka.out", WEKA))
    assert rules(given) == [("humidity=normal windy=FALSE => play=yes", 4), ("outlook=overcast => play=yes", 4)]
    assert given.n is None
    lift = read_rules(written(tmp_path, "lift.txt", WEKA_LIFT))
    assert (lift.n, sorted(lift.antecedent_supports.tolist())) == (14, [4, 7])
    grown = read_rules(written(tmp_path, "fpgrowth.txt", WEKA_FPGROWTH))
    assert rules(grown) == [("biscuits=t frozen foods=t fruit=t total=high => bread and cake=t", 723)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (WEKA_LIFT, "lists rules but no itemsets"),
        (WEKA_BLANKS.partition("\n\n")[2], "line 1: expected the itemsets of 1 item"),
        (WEKA.replace("outlook=sunny humidity=high 3", "outlook=sunny 3"), "line 20: expected 2 labels"),
        (WEKA.replace("Large Itemsets L(1)", "Large Itemsts L(1)"), "line 19: expected the itemsets of 1 item"),
        (WEKA.replace("Large Itemsets L(2)", "Large Itemsts L(2)"), "line 19: expected 1 labels and a count"),
        (WEKA.replace("outlook=sunny humidity", "outlook=rain humidity"), "line 20: a label is not among the itemsets"),
        (WEKA.replace("humidity=high 7\n", ""), "line 19: a label is not among the itemsets of one item"),
        (WEKA.replace("L(2): 1", "L(2): 2"), "says it has 2 itemsets of 2 items, but lists 1"),
    ],
)
def test_what_weka_leaves_open_is_refused(tmp_path, content: str, words: str):
    with pytest.raises(DataError, match=words):
        read_patterns(written(tmp_path, "weka.txt", content), n=14)


def test_blank_lines_take_no_itemsets_of_weka_with_them(tmp_path):
    text = WEKA.replace("L(2):\noutlook", "L(2):\n\noutlook").replace("sunny 5\n", "sunny 5\n\n")
    assert len(read_patterns(written(tmp_path, "weka.txt", text), n=14)) == 3


@pytest.mark.parametrize(
    "change", [("2. humidity", "2 humidity"), (" 1. outlook", " 3. outlook"), ("FALSE 4 ==>", "FALSE 4 =>")]
)
def test_no_rule_of_weka_is_lost(tmp_path, change: tuple[str, str]):
    with pytest.raises(DataError, match=r"line 2[45]: expected rule [12], such as"):
        read_rules(written(tmp_path, "weka.txt", WEKA.replace(*change)))


def test_other_blanks_are_part_of_a_label(tmp_path):
    pami = read_patterns(written(tmp_path, "p.csv", "Patterns,Support\ntea\xa0pot milk,3\n"))
    assert itemsets(pami) == {("milk", "tea\xa0pot"): 3}
    other = read_patterns(written(tmp_path, "o.csv", "items,support\ntea\xa0;milk,3\n"), item_separator=";")
    assert itemsets(other) == {("milk", "tea\xa0"): 3}


@pytest.mark.parametrize("text", ["1\0b #SUP: 3\n", "1\x0c2 #SUP: 3\n", "1 #SUP: 3\r2 #SUP: 4\n"])
def test_control_characters_in_spmf_are_refused(tmp_path, text: str):
    with pytest.raises(DataError, match="line 1: it has a control character"):
        read_patterns(written(tmp_path, "found.txt", text))


@pytest.mark.parametrize(
    "text",
    [
        WEKA.replace("sunny 5", "sunny\x0c 5"),
        WEKA.replace("sunny 5", "sun\rny 5"),
        RAPIDMINER_TEXT.replace("tea", "t\0ea"),
        PANDAS.replace("(tea)", "(t\x1fa)"),
        PANDAS + "\x85",
        INSPECT.replace("\n[2]", "\n\u2028[2]"),
        RAPIDMINER_TEXT.replace("tea", "t\xa0ea", 1),
    ],
)
def test_control_characters_in_printouts_are_refused(tmp_path, text: str):
    with pytest.raises(DataError, match=r"line [0-9]+: it has a control character"):
        read_patterns(written(tmp_path, "found.txt", text), n=14)


def test_a_heading_before_the_items_of_inspect_is_refused(tmp_path):
    with pytest.raises(DataError, match="line 1: expected the headings items or lhs first"):
        read_patterns(written(tmp_path, "found.txt", "n" + INSPECT.removeprefix(" ")))


def test_two_blanks_between_the_labels_of_weka_are_refused(tmp_path):
    text = "Large Itemsets L(1):\na=x 5\nb=y 7\n\nLarge Itemsets L(2):\na=x  b=y 3\n"
    with pytest.raises(DataError, match="line 6: labels cannot be distinguished"):
        read_patterns(written(tmp_path, "found.txt", text), n=14)


def test_a_tab_in_a_label_of_inspect_is_refused(tmp_path):
    text = "    items support count\n[1] {te\ta} 0.5 4\n"
    with pytest.raises(DataError, match="a label has a tab"):
        read_patterns(written(tmp_path, "found.txt", text))


def test_two_columns_of_itemsets_are_refused(tmp_path):
    text = 'items,itemsets,support\n[a],"(b,)",0.5\n'
    with pytest.raises(ParameterError, match="2 columns that could hold the itemsets"):
        read_patterns(written(tmp_path, "found.csv", text), n=8)


@pytest.mark.parametrize("support", ["1", "01", "0"])
def test_whole_numbers_up_to_1_in_a_column_of_either_kind_are_refused(tmp_path, support: str):
    file = written(tmp_path, "found.csv", f"Menge;Anteil\ntea+milk;{support}\n")
    how = {"items_column": "Menge", "support_column": "Anteil", "item_separator": "+", "n": 8}
    with pytest.raises(DataError, match="all 0 or 1, which can be counts or shares"):
        read_patterns(file, **how)


def test_a_second_heading_of_inspect_is_refused(tmp_path):
    with pytest.raises(DataError, match="line 9: a heading occurs twice"):
        read_patterns(written(tmp_path, "found.txt", INSPECT + INSPECT.partition("\n")[0]))


def test_counts_of_weka_that_no_data_can_have_are_refused(tmp_path):
    with pytest.raises(DataError, match="line 24: expected rule 1"):
        read_rules(written(tmp_path, "weka.txt", WEKA.replace("play=yes 4", "play=yes " + "9" * 20)))


def test_lines_of_json_that_are_cut_off_are_refused(tmp_path):
    text = '{"items":["a"],"freq":30}\n{"items":["b"],"freq":25}\n'
    assert len(read_patterns(written(tmp_path, "found.json", text), n=50)) == 2
    for end in ("}\n", "5}\n"):
        with pytest.raises(DataError, match="line 2: not JSON"):
            read_patterns(written(tmp_path, "found.json", text.removesuffix(end)), n=50)


def test_a_colon_belongs_to_a_label_of_weka(tmp_path):
    given = read_rules(written(tmp_path, "weka.txt", WEKA.replace("play=yes 4", "play=yes: 4")))
    assert "play=yes:" in set(given.vocabulary)


@pytest.mark.parametrize(
    "text",
    [
        '{"items":["a"],"items":["b"],"freq":3}\n',
        b'[{"items":["a\xed\xa0\x80"],"freq":3}]',
        '{"items":["a"],"freq":3,"freq":4}',
    ],
)
def test_json_that_says_two_things_or_is_no_text_is_refused(tmp_path, text: str | bytes):
    with pytest.raises(DataError, match=r"JSON|not UTF-8 text"):
        read_patterns(written(tmp_path, "found.json", text), n=5)


def test_remarks_that_contradict_each_other_are_refused(tmp_path):
    with pytest.raises(DataError, match="line 2: the remark contradicts another one"):
        read_patterns(written(tmp_path, "p.csv", '# n: 8\n# n: 9\nitems,support\n"[""a""]",5\n'))


def test_rules_of_weka_need_their_numbers(tmp_path):
    with pytest.raises(DataError, match="line 25: expected rule 2, such as"):
        read_rules(written(tmp_path, "weka.txt", WEKA.replace("play=yes 4    conf:(1)\n\n", "play=yes\n\n")))
    with pytest.raises(ParameterError, match="n is given as 15, but the patterns say 14"):
        read_rules(written(tmp_path, "lift.txt", WEKA_LIFT), n=15)


@pytest.mark.parametrize(
    "content",
    [
        ORANGE,
        ORANGE_PREFIXED,
    ],
)
def test_the_rules_of_orange_are_read(tmp_path, content: str):
    given = read_rules(written(tmp_path, "orange.csv", content), n=101)
    assert rules(given) == [("backbone=1 => venomous=0", 79), ("backbone=1 fins=0 => venomous=0", 63)]
    assert given.origin == "orange"


@pytest.mark.parametrize(
    ("name", "content"),
    [("items.csv", RAPIDMINER), ("wide.tsv", RAPIDMINER_WIDE), ("view.txt", RAPIDMINER_TEXT)],
)
def test_the_itemsets_of_rapidminer_are_read(tmp_path, name: str, content: str):
    given = read_patterns(written(tmp_path, name, content), n=5)
    assert itemsets(given) == {("tea",): 4, ("milk",): 3, ("milk", "tea"): 3}
    assert given.origin == "rapidminer"


def test_the_rules_of_rapidminer_are_read(tmp_path):
    assert rules(read_rules(written(tmp_path, "r.csv", RAPIDMINER_RULES), n=5)) == [("rye bread tea => milk", 1)]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("i.csv", RAPIDMINER.replace('"tea, milk";2', '"tea, milk";1'), "a label has a comma in it"),
        ("v.txt", RAPIDMINER_TEXT.replace("(3)", "(30)"), "says it has 30 itemsets, but lists 3"),
        ("r.txt", "Association Rules\n[tea, rye bread] --> [milk] (confidence: 1.000)\n", "without their supports"),
    ],
)
def test_what_rapidminer_leaves_open_is_refused(tmp_path, name: str, content: str, words: str):
    with pytest.raises(DataError, match=words):
        read_patterns(written(tmp_path, name, content), n=5)


NAMED = 'itemset,count\n"{milk,tea}",3\n{tea},4\n{milk},3\n'
FOUND = {("milk", "tea"): 3, ("tea",): 4, ("milk",): 3}


def test_columns_of_no_tool_are_found_by_their_names(tmp_path):
    given = read_patterns(written(tmp_path, "named.csv", NAMED))
    assert (itemsets(given), given.n, given.origin) == (FOUND, None, "unnamed")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "utf-16-le"])
def test_columns_separators_and_encodings_can_be_named(tmp_path, encoding: str):
    text = "Menge;Anteil\nTee + Müsli;0,6\nTee;0,8\nMüsli;0,6\n"
    path = written(tmp_path, "named.csv", text.encode(encoding))
    options = {"encoding": encoding} if encoding in ("cp1252", "utf-16-le") else {}
    given = read_patterns(
        path, n=5, items_column="Menge", support_column="Anteil", item_separator="+", delimiter=";", **options
    )
    assert itemsets(given) == {("Müsli", "Tee"): 3, ("Tee",): 4, ("Müsli",): 3}


@pytest.mark.parametrize("cell", ["tea & milk", "{tea & milk}", "[tea&milk]", "(tea &  milk)"])
def test_labels_between_separators_lose_blanks_and_brackets(tmp_path, cell: str):
    path = written(tmp_path, "named.csv", f"items,support\n{cell},3\n")
    assert itemsets(read_patterns(path, item_separator="&")) == {("milk", "tea"): 3}


def test_rules_take_a_separator_too(tmp_path):
    path = written(tmp_path, "rules.csv", "lhs,rhs,n_both,confidence\ntea;rye,milk,3,0.75\n")
    assert rules(read_rules(path, support_column="n_both", item_separator=";")) == [("rye tea => milk", 3)]


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("itemset,count\nsecret tea,3\n", {}, "row 1: expected .*; or say with item_separator"),
        ("itemset;count\n0,5;3\n", {}, "row 1: expected .*; or say with item_separator"),
        ("itemset,count\na;;b,3\n", {"item_separator": ";"}, "row 1: a label between two separators is empty"),
        ("itemset,count\n{a},3\n", {"items_column": "set"}, "no column 'set', which items_column names"),
        ("itemset,count\n{a},3\n", {"support_column": "s"}, "no column 's', which support_column names"),
        ("itemset,total\n{a},3\n", {"item_separator": ";"}, "no column of the supports is found .*support_column"),
        ("items,itemset,count\n{a},{a},3\n", {}, "2 columns that could hold the itemsets; say which with items_column"),
        ("itemset,count\n{a},3\n", {"item_separator": ""}, "item_separator must be what stands between two labels"),
        ("itemset,count\n{a},3\n", {"delimiter": ";;"}, "delimiter must be one ASCII character"),
        ("itemset,count\n{a},3\n", {"encoding": "klingon"}, "encoding must be the name of an encoding"),
        ('itemset;support\n{a};"1,234"\n', {"n": 5000}, "decimal comma or separate thousands"),
        ("itemset;support\n{a};0,5\n{b};0.5\n", {"n": 10}, "row 1: the support is missing or not a number"),
    ],
)
def test_what_is_said_wrongly_is_refused(tmp_path, content: str, options: dict[str, object], words: str):
    with pytest.raises(InputError, match=words) as caught:
        read_patterns(written(tmp_path, "named.csv", content), **options)
    assert "secret" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_label_of_weka_has_no_blank_at_its_end(tmp_path: Path):
    file = tmp_path / "weka.txt"
    file.write_text("Best rules found:\n\n 1. humidity=normal windy=FALSE\t 4 ==> play=yes 3    conf:(0.75)\n")
    with pytest.raises(DataError, match="line 3: labels cannot be distinguished"):
        read_rules(file, n=8)


@pytest.mark.parametrize("odd", ["\x1f", "\x85", "\u2003"])
def test_a_column_is_known_by_its_name_alone(tmp_path: Path, odd: str):
    file = tmp_path / "rules.csv"
    file.write_text(f"# n: 8\nantecedent,consequent,support{odd},confidence\na,b,2,0.5\n")
    with pytest.raises(DataError, match="no column of the supports is found"):
        read_rules(file)
