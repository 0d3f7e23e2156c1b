"""The pre-commit hook and the action, run against a small repository made on the spot."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
RUNNING_EXAMPLE = ROOT / "tests" / "data" / "running-example.dat"
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
_REFERENCE = re.compile(r"\{\{ ref\('(\w+)'\) \}\}")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


@pytest.fixture
def repository(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with a safe file of patterns; `discreet` is on the path."""
    folder = tmp_path / "repository"
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet", folder], check=True)  # noqa: S607
    blocked = folder / "patterns-safe.csv"
    assert call("block", RUNNING_EXAMPLE, "-s", "8", "-k", "3", "--method", "additive", "-o", blocked).status == 0
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(folder)
    return folder


def test_the_hook_refuses_to_commit_unsafe_patterns(call, repository: Path):
    entry = HOOK["entry"].replace("-k 10", "-k 3")
    assert entry != HOOK["entry"]
    settings = {"id": HOOK["id"], "name": HOOK["name"], "entry": entry, "files": HOOK["files"]}
    hooks = {"repos": [{"repo": "local", "hooks": [settings | {"language": "system", "require_serial": True}]}]}
    (repository / ".pre-commit-config.yaml").write_text(json.dumps(hooks), encoding="utf-8")

    def commit() -> subprocess.CompletedProcess[str]:
        subprocess.run(["git", "add", "."], check=True)  # noqa: S607
        words = [sys.executable, "-m", "pre_commit", "run"]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    assert commit().returncode == 0
    assert call("mine", RUNNING_EXAMPLE, "-s", "8", "-o", repository / "patterns-raw.csv").status == 0
    (repository / "rows.csv").write_text("a,b\n", encoding="utf-8")
    refused = commit()
    assert refused.returncode == 1
    assert "1 of 2 files may pass" in refused.stdout, "one summary for both, and rows.csv is none of its files"


@pytest.mark.parametrize(("names", "status"), [("patterns-safe.csv", 0), ("patterns-*.csv", 1), ("missing.csv", 2)])
def test_the_script_of_the_action(call, repository: Path, names: str, status: int):
    assert call("mine", RUNNING_EXAMPLE, "-s", "8", "-o", repository / "patterns-raw.csv").status == 0
    (script,) = (step["run"] for step in ACTION["runs"]["steps"] if step["name"] == "Audit")
    inputs = {"FILES": names, "K": "3", "OPTIONS": "", "SARIF": "found.sarif"}
    done = subprocess.run(
        ["bash", "-e", "-c", script],  # noqa: S607 - as the runner does
        env=os.environ | inputs,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status
    if status < 2:
        results = [bool(run["results"]) for run in json.loads((repository / "found.sarif").read_text())["runs"]]
        assert any(results) == bool(status)
        assert ("::error" in done.stdout) == bool(status)


def test_the_action_reads_no_input_as_code():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        named = set(re.findall(r"inputs\.(\w+)", json.dumps(step)))
        assert named <= set(ACTION["inputs"])


def test_the_action_uploads_what_its_script_writes():
    (upload,) = (step for step in ACTION["runs"]["steps"] if "uses" in step)
    (script,) = (step for step in ACTION["runs"]["steps"] if step["name"] == "Audit")
    assert upload["uses"].startswith("github/codeql-action/upload-sarif@")
    assert upload["with"]["sarif_file"] == script["env"]["SARIF"], "the same file"
    assert upload["if"].startswith("always()"), "after a refusal, too: then there is something to show"
    assert ACTION["inputs"]["upload"]["default"] == "false"


def test_the_hook_is_installed_from_its_own_file(call, repository: Path, tmp_path: Path):
    """pre-commit reads `.pre-commit-hooks.yaml` from a repository of its own; only the installation is the system's."""
    home = tmp_path / "home"
    home.mkdir()
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (home / ".pre-commit-hooks.yaml").write_text(hook.replace("language: python", "language: system"))
    git = ["git", "-C", home, "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "hook"]):
        subprocess.run([*git, *words], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    hooks = {"repos": [{"repo": str(home), "rev": head, "hooks": [{"id": HOOK["id"]}]}]}
    (repository / ".pre-commit-config.yaml").write_text(json.dumps(hooks), encoding="utf-8")
    assert call("mine", RUNNING_EXAMPLE, "-s", "8", "-o", repository / "patterns-raw.csv").status == 0
    subprocess.run(["git", "add", "."], check=True)  # noqa: S607
    environment = os.environ | {"PRE_COMMIT_HOME": str(tmp_path / "cache")}
    words = [sys.executable, "-m", "pre_commit", "run"]
    refused = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "files may pass" in refused.stdout


def test_the_commands_of_the_airflow_example(repository: Path):
    """Without Airflow: the words of its tasks, in their order."""
    source = (ROOT / "examples" / "airflow" / "publish_patterns.py").read_text(encoding="utf-8")
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.keyword)]
    release, verify = (node.value.value for node in calls if node.arg == "bash_command")
    inputs = {"ROWS": "rows.dat", "LEDGER": "book", "OUTPUT": "."}
    rows = RUNNING_EXAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)

    def run(script: str, day: str, times: int, more: int = 0) -> int:
        (repository / "rows.dat").write_text("".join(rows * times + rows[:more]), encoding="utf-8")
        words = ["bash", "-e", "-c", script.replace("{{ ds }}", day).replace("-k 10 -s 20%", "-k 3 -s 8")]
        return subprocess.run(words, env=os.environ | inputs, capture_output=True, check=False).returncode

    first, second, third = "2026-01-04", "2026-01-11", "2026-01-18"
    assert run(release, first, 1) == 2, "a ledger is begun by hand, once"
    assert run(release.replace("--rows-added", "--new-ledger"), first, 1) == 0
    assert (run(release, second, 4), run(verify, second, 4)) == (0, 0), "three times as many rows came"
    assert (repository / second / "certificate.json").is_file()
    assert run(release, third, 4, more=1) == 1, "one row came, and the difference would tell it"
    assert not (repository / third).exists()


def test_the_models_of_the_dbt_example_make_patterns_that_are_audited(call, repository: Path):
    """Without dbt: its models are SQL, and a reference is the name of a view."""
    folder = ROOT / "examples" / "dbt"
    with duckdb.connect() as database:
        for name in ("baskets", "patterns"):
            model = (folder / "models" / f"{name}.sql").read_text(encoding="utf-8")
            database.sql(f"create view {name} as " + re.sub(_REFERENCE, r"\1", model))
        (copy,) = yaml.safe_load((folder / "dbt_project.yml").read_text(encoding="utf-8"))["on-run-end"]
        database.sql(re.sub(_REFERENCE, r"\1", copy))
    answer = call("audit", "--each", repository / "patterns.csv", "-k", "2", "--n", "3")
    assert (answer.status, "0 of 1 file may pass" in answer.out) == (1, True)
