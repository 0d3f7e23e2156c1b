"""How the command ends: one status and one sentence for everything that can happen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from discreet.errors import DataError, EngineError, InternalFault, TooManyPatterns, param


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch):
    """Return a function that makes reading rows fail in a given way."""

    def failing(error: BaseException) -> None:
        def read(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr("discreet.transactions.reading.read_as", read)

    return failing


def test_bad_data_is_status_2(call, failing) -> None:
    failing(DataError("shop.dat, line 3: a NUL byte; remove it", line=3))
    assert call("mine", "shop.dat", "-s", "2").refused() == "shop.dat, line 3: a NUL byte; remove it"


def test_an_engine_that_failed_is_status_3(call, failing) -> None:
    failing(EngineError("Spark did not answer; start it"))
    outcome = call("mine", "shop.dat", "-s", "2")
    assert (outcome.status, outcome.out, outcome.err) == (3, "", "error: Spark did not answer; start it\n")


def test_a_fault_of_ours_is_status_3_and_tells_no_content(call, failing) -> None:
    failing(KeyError("Mrs Miller"))
    outcome = call("mine", "shop.dat", "-s", "2")
    assert (outcome.status, outcome.out) == (3, "")
    assert outcome.err.startswith("error: internal fault (KeyError): this is a fault of discreet, please report it")
    assert outcome.err.count("\n") == 1
    assert "Miller" not in outcome.err


def test_a_failed_check_of_our_own_work_is_status_3_and_no_verdict(call, failing) -> None:
    failing(InternalFault("a rule is left"))
    outcome = call("mine", "shop.dat", "-s", "2")
    sentence = "error: a rule is left: this is a fault of discreet, please report it in its issue tracker\n"
    assert (outcome.status, outcome.out, outcome.err) == (3, "", sentence)


@pytest.mark.parametrize("before", [True, False], ids=["before the command", "after it"])
def test_debug_shows_where_a_fault_arose(call, failing, *, before: bool) -> None:
    failing(KeyError("x"))
    words = ["mine", "shop.dat", "-s", "2"]
    outcome = call(*(["--debug", *words] if before else [*words, "--debug"]))
    assert outcome.status == 3
    assert "Traceback (most recent call last)" in outcome.err
    assert outcome.err.splitlines()[-1].startswith("error: internal fault")


def test_too_little_memory_is_status_2(call, failing) -> None:
    failing(MemoryError())
    assert "memory" in call("mine", "shop.dat", "-s", "2").refused()


def test_a_refusing_system_is_status_2(call, failing) -> None:
    failing(PermissionError(13, "Permission denied", "shop.dat"))
    assert call("mine", "shop.dat", "-s", "2").refused() == "the system refused shop.dat: Permission denied"


def test_an_interrupt_is_status_130(call, failing) -> None:
    failing(KeyboardInterrupt())
    outcome = call("mine", "shop.dat", "-s", "2")
    assert (outcome.status, outcome.out, outcome.err) == (130, "", "interrupted\n")


def test_a_sentence_about_a_parameter_speaks_of_the_option(call, failing) -> None:
    sentence = f"too many; raise {param('min_support')}, or {param('max_patterns')}"
    failing(TooManyPatterns(sentence, found=5, min_support=1))
    assert call("mine", "a", "-s", "2").refused() == "too many; raise --min-support, or --max-patterns"


def test_a_message_with_control_characters_stays_one_line(call, failing) -> None:
    failing(DataError("a\nb\x1b[2J.dat does not exist"))
    assert call("mine", "a", "-s", "2").refused() == r"a\nb\x1b[2J.dat does not exist"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["mien"], "there is no command 'mien' (did you mean mine?); see discreet --help"),
        (["fly"], "there is no command 'fly'; see discreet --help"),
        (["--verson"], "there is no option --verson (did you mean --version?); see discreet --help"),
        (["mine", "--max-lenght", "2"], "there is no option --max-lenght (did you mean --max-length?); "),
        (["mine", "a.dat"], "-s/--min-support is missing: give S; see discreet mine --help"),
        (["mine", "-s", "2"], "DATA is missing: name a file, or - for standard input, or give --sql"),
        (["mine", "a.dat", "-s"], "-s needs a value; see discreet mine --help"),
        (["mine", "a.dat", "-s", "2", "--force=yes"], "--force takes no value; see discreet mine --help"),
        (["keygen", "a", "b"], "got unexpected extra argument (b); see discreet keygen --help"),
        (["mine", "a", "-s", "2", "--target", "most"], "--target must be all, closed or maximal, got 'most'; see"),
        (["mine", "a", "-s", "2", "--threads", "0"], "--threads must be a whole number of at least 1, got '0'; see"),
        (
            ["mine", "a", "-s", "2", "--max-length", "two"],
            "--max-length must be a whole number of at least 1, got 'two'",
        ),
        (
            ["mine", "a", "-s", "2", "--format", "xml"],
            "--format must be fimi, spmf, basket, long, onehot, table or lists, got",
        ),
        (
            ["mine", "a", "-s", "2", "--engine", "abacus"],
            "--engine must be local, disk or spark, got 'abacus'; see discreet mine --help",
        ),
        (["generate", "quets"], "there is no command 'quets' (did you mean quest?); see discreet generate --help"),
        (
            ["generate", "quest", "-o", "x.dat", "--mean-length", "0"],
            "--mean-length must be a number between 1 and items",
        ),
        (["generate", "quest", "-o", "x.dat", "--mean-length", "nan"], "--mean-length must be a number between 1 and"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_command_line_says_what_and_where(call, words: list[str], sentence: str) -> None:
    assert sentence in call(*words).refused()


@pytest.mark.parametrize("support", ["0", "150%", "0.0", "1.0", "-3", "ten", "", "0%", "1e-3", "99999999999999999999"])
def test_a_minimum_support_that_means_nothing_is_refused_before_reading(call, support: str) -> None:
    sentence = call("mine", "no-such-file.dat", f"--min-support={support}").refused()
    assert sentence.startswith("--min-support must be")
    assert repr(support) in sentence


@pytest.mark.parametrize(
    "words", [[], ["--help"], ["-h"], ["generate"], ["mine", "--help"], ["generate", "quest", "-h"]]
)
def test_help_is_status_0_and_fits_80_columns(call, words: list[str]) -> None:
    outcome = call(*words)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("Usage: discreet")
    assert max(map(len, outcome.out.splitlines())) <= 80


def test_version(call) -> None:
    assert call("--version").out.startswith("discreet 0.")


def test_running_the_module_is_running_the_command(run) -> None:
    outcome = run("--version")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("discreet 0.")


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["mine", "rows.dat", "-s", "1", "--json"]])
def test_a_full_disk_behind_standard_output_is_status_2(run, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "rows.dat").write_text("a b\n")
    with Path("/dev/full").open("w") as full:
        outcome = run(*words, stdout=full)
    assert "No space left on device" in outcome.refused()


@pytest.mark.parametrize("words", [["--help"], ["demo"], ["mine", "rows.dat", "-s", "1", "--json"]])
def test_a_reader_that_leaves_early_changes_nothing(run, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "rows.dat").write_text("a b\n")
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "w") as pipe:
        outcome = run(*words, stdout=pipe)
    assert (outcome.status, outcome.err) == (0, "")


def test_a_closed_standard_output_is_status_2(run) -> None:
    outcome = run("--version", preexec_fn=lambda: os.close(1), stdout=None)
    assert "standard output is closed" in outcome.refused()
