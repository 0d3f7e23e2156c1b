"""Starting Spark: Java first, settings that mean something, and one session for all."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from discreet.cli.main import main
from discreet.errors import EngineError, ParameterError
from discreet.spark import spark_session as module
from discreet.spark.spark_session import check_java, spark_session

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_a_running_session_is_used_and_not_changed(spark: SparkSession) -> None:
    assert spark_session() is spark
    with pytest.raises(ParameterError, match="running already"):
        spark_session("local[4]")
    with pytest.raises(ParameterError, match="running already"):
        spark_session(settings=["spark.executor.memory=8g"])


def test_settings_must_be_sparks(spark: SparkSession) -> None:
    del spark
    for wrong in ("memory=8g", "spark.executor.memory", ""):
        with pytest.raises(ParameterError, match="spark_conf"):
            spark_session(settings=[wrong])


def test_without_java_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(module.shutil, "which", lambda _: None)
    with pytest.raises(EngineError, match="openjdk-17"):
        check_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EngineError, match="JAVA_HOME names does not start"):
        check_java()
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    with pytest.raises(EngineError, match="version 11"):
        check_java()


def test_without_java_the_status_is_3_and_nothing_is_on_standard_output(tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_text("a b\n")
    done = subprocess.run(
        [sys.executable, "-m", "discreet", "mine", "rows.dat", "-s", "1", "--engine", "spark", "--json"],
        cwd=tmp_path,
        env={"JAVA_HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: Spark needs Java 17")
    assert done.stderr.count("\n") == 1


def test_options_of_spark_need_spark(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_text("a b\n")
    assert main(["mine", str(tmp_path / "rows.dat"), "-s", "1", "--spark-master", "local[2]"]) == 2
    assert "--engine spark" in capfd.readouterr().err
    (tmp_path / "p.json").write_text('{"n": 3, "min_support": 1, "target": "all", "count": 0, "itemsets": []}')
    assert main(["audit", "--patterns", str(tmp_path / "p.json"), "-k", "2", "--engine", "spark"]) == 2
    assert "--engine" in capfd.readouterr().err
    words = [
        "hide",
        str(tmp_path / "rows.dat"),
        "--restrict",
        "x",
        "--method",
        "iga",
        "-o",
        str(tmp_path / "o.parquet"),
    ]
    assert main([*words, "--engine", "spark", "--log", str(tmp_path / "log.csv")]) == 2
    assert "--engine local" in capfd.readouterr().err


def test_the_local_engine_never_touches_pyspark(tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_text("a b\na\n")
    code = (
        "import sys, discreet\nfrom discreet.cli.main import main\n"
        "rows = discreet.read('rows.dat')\n"
        "discreet.audit(rows, k=2, min_support=1), discreet.mine(rows, min_support=1)\n"
        "assert main(['mine', 'rows.dat', '-s', '1', '--json']) == 0\n"
        "assert not {'pyspark', 'py4j'} & {name.partition('.')[0] for name in sys.modules}"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
