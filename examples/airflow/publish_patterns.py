"""A DAG that publishes patterns every week, or stops: the release is a task, and its exit status decides.

`ROWS`, `LEDGER` and `OUTPUT` are variables of the environment of the workers, on which `discreet` is installed. `ROWS`
only grows from week to week: that is what `--rows-added` says. `OUTPUT` is a folder that exists, and every week gets a
folder in it. The ledger is begun by hand, once, with the first release and `--new-ledger`.
"""

from __future__ import annotations

import pendulum
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

with DAG(
    dag_id="publish_patterns",
    schedule="@weekly",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
) as dag:
    release = BashOperator(
        task_id="release",
        bash_command=(
            'discreet release "$ROWS" -k 10 -s 20% --method suppressive '
            '--ledger "$LEDGER" --rows-added -o "$OUTPUT/{{ ds }}" --quiet'
        ),
    )
    verify = BashOperator(task_id="verify", bash_command='discreet verify "$OUTPUT/{{ ds }}" --ledger "$LEDGER"')
    release >> verify
