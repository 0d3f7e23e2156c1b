"""A Spark session: the running one, or a quiet one of our own.

Java is looked up before Spark is started, because without it Spark fails with a page of shell errors. Our own session
listens on this machine only, has no web page, and keeps its log off the user's screen.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import EngineError, ParameterError, param
from discreet.tables.machine_memory import whole_memory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import SparkSession

__all__ = ["check_java", "parse_settings", "spark_session"]

LEAST_JAVA = 17
_HOW_TO_GET_JAVA = (
    "install it (Debian and Ubuntu: apt install openjdk-17-jre-headless; macOS: brew install openjdk@17; others: "
    "https://adoptium.net) or set JAVA_HOME to where it is"
)
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')


def spark_session(master: str | None = None, settings: Iterable[str] = ()) -> SparkSession:
    """Return the running session, or start one.

    `settings` are Spark's own, each as "name=value". They and `master` configure a new session; they are refused if one
    is already running.
    """
    chosen = parse_settings(settings)
    try:
        from pyspark import SparkContext
        from pyspark.sql import SparkSession
    except ImportError:
        raise EngineError(
            "the Spark engine needs PySpark, which is not installed; pip install 'discreet[spark]'"
        ) from None
    running = SparkSession.getActiveSession()
    if running is not None:
        if master is not None or chosen:
            raise ParameterError(
                "a Spark session is running already, and it cannot be given another master or other settings; stop it "
                f"first, or leave {param('spark_master')} and {param('spark_conf')} out",
                parameter="spark_master" if master is not None else "spark_conf",
            )
        return running
    if SparkContext._active_spark_context is not None:  # noqa: SLF001 - PySpark has no other name for it
        return SparkSession(SparkContext.getOrCreate())
    return _start(master, chosen)


def parse_settings(settings: Iterable[str]) -> dict[str, str]:
    """Return Spark settings by name.

    >>> parse_settings(["spark.executor.memory=8g"])
    {'spark.executor.memory': '8g'}
    """
    parsed = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().startswith("spark."):
            raise ParameterError(
                f"{param('spark_conf')} must look like spark.executor.memory=8g, got {text!r}", parameter="spark_conf"
            )
        parsed[name.strip()] = value.strip()
    return parsed


def check_java() -> None:
    """Raise an error unless there is a Java that Spark can run on."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None:
        raise EngineError(f"Spark needs Java {LEAST_JAVA} or newer, and no java was found; {_HOW_TO_GET_JAVA}")
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=True, timeout=60).stderr  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        where = "that JAVA_HOME names" if home else "on the path"
        raise EngineError(
            f"Spark needs Java {LEAST_JAVA} or newer, and the java {where} does not start; {_HOW_TO_GET_JAVA}"
        ) from None
    version = _VERSION.search(told)
    if version is not None and int(version[1]) < LEAST_JAVA:
        raise EngineError(
            f"Spark needs Java {LEAST_JAVA} or newer, and the java found is version {version[1]}; {_HOW_TO_GET_JAVA}"
        )


def _start(master: str | None, chosen: dict[str, str]) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    check_java()
    # In our own session, PySpark's opinion of other packages' versions is not the user's concern.
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support", category=FutureWarning)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the Python in which `check` runs its kernel
    conf = SparkConf()
    where = master or chosen.get("spark.master") or conf.get("spark.master") or "local[*]"
    conf.setMaster(where).setAppName("discreet")
    for name, value in (_LOCAL_SETTINGS if where.startswith("local") else _SETTINGS).items():
        conf.setIfMissing(name, value)
    if where.startswith("local"):
        conf.setIfMissing("spark.driver.memory", f"{_half_of_the_memory()}m")
        conf.setIfMissing("spark.driver.extraJavaOptions", _THRIFTY_JAVA)
        conf.setIfMissing("spark.sql.shuffle.partitions", str(2 * (os.cpu_count() or 1)))
    for name, value in chosen.items():
        conf.set(name, value)
    try:
        # Spark prints a greeting on standard output and error, which are reserved for answers and errors.
        gateway = launch_gateway(conf, {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL})  # type: ignore[no-untyped-call]
        return SparkSession(SparkContext(conf=conf, gateway=gateway))
    except (PySparkException, OSError) as error:
        raise EngineError(
            f"Spark could not be started with master {where!r}; check {param('spark_master')} and "
            f"{param('spark_conf')}, and that the memory asked for is there"
        ) from error
    except Exception as error:
        if type(error).__module__.startswith("py4j"):
            raise EngineError(
                f"Spark could not be started with master {where!r}; check {param('spark_master')} and "
                f"{param('spark_conf')}"
            ) from error
        raise


_SETTINGS = {"spark.ui.showConsoleProgress": "false"}
_LOCAL_SETTINGS = _SETTINGS | {
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}


_THRIFTY_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseParallelGC"
"""Options of a Java that spends little on itself: the kernel does the work, and would wait for Java's compilers."""


def _half_of_the_memory() -> int:
    """Return half of this machine's memory in megabytes: Spark needs the other half outside its heap."""
    whole = (whole_memory() or 2**32) // 2**20
    return max(1024, whole // 2)
