"""Ansible callback: writes the results of playbooks to SLUICE_RESULTS_FILE, beside the usual output.

`outputs` is the list of all results; with SLUICE_OUTPUTS_MODE=EXPLICIT it is the map of what the module `kestra` has declared,
and results of tasks are left out. `playbooks` has plays, tasks and the results of hosts. A later playbook adds to the file.
"""

import json
import os
from datetime import datetime, timezone

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
    name: kestra_logger
    type: aggregate
    short_description: reports results as outputs of the task
    description:
      - Writes the results to a file when a playbook has ended.
"""

MODULES = ("kestra", "ansible.legacy.kestra")


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "kestra_logger"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self):
        super().__init__()
        self.is_explicit = os.environ.get("SLUICE_OUTPUTS_MODE", "ALL").upper() == "EXPLICIT"
        self.results = []
        self.declared = {}
        self.plays = []
        self.task = None

    def v2_playbook_on_play_start(self, play):
        self.end_task()
        self.plays.append({"name": play.get_name().strip() or "unnamed_play", "tasks": []})

    def v2_playbook_on_task_start(self, task, is_conditional):
        self.start_task(task)

    def v2_playbook_on_handler_task_start(self, task):
        self.start_task(task)

    def v2_playbook_on_cleanup_task_start(self, task):
        self.start_task(task)

    def v2_runner_on_ok(self, result):
        if result._task.action in MODULES:
            self.declare(result._result)
        self.add(result, "ok")

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self.add(result, "failed")

    def v2_runner_on_skipped(self, result):
        self.add(result, "skipped")

    def v2_runner_on_unreachable(self, result):
        self.add(result, "unreachable")

    def v2_playbook_on_stats(self, stats):
        self.end_task()
        path = os.environ.get("SLUICE_RESULTS_FILE")
        if path:
            self.write(path)

    def write(self, path):
        earlier = {}
        if os.path.exists(path) and os.path.getsize(path) > 0:
            with open(path, encoding="utf-8") as file:
                earlier = json.load(file)
        if self.is_explicit:
            outputs = {**earlier.get("outputs", {}), **self.declared}
        else:
            outputs = [*earlier.get("outputs", []), *self.results]
        playbooks = [*earlier.get("playbooks", []), {"plays": self.plays}]
        # The file may belong to another user.
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump({"outputs": outputs, "playbooks": playbooks}, file, default=str)
        os.replace(path + ".new", path)

    def start_task(self, task):
        self.end_task()
        if not self.plays:
            self.plays.append({"name": "unnamed_play", "tasks": []})
        play = self.plays[-1]
        name = task.get_name().strip() or str(task.action)
        uid = play["name"] + " | " + name
        self.task = {"uid": uid, "name": name, "startedAt": now(), "endedAt": None, "hosts": []}
        play["tasks"].append(self.task)

    def end_task(self):
        if self.task is not None and self.task["endedAt"] is None:
            self.task["endedAt"] = now()

    def declare(self, result):
        declared = result.get("outputs")
        if isinstance(declared, dict):
            self.declared.update(declared)
        else:
            self._display.warning("the module kestra declares nothing: call it without a loop, with all values at once")

    def add(self, result, status):
        if self.task is None:
            self.start_task(result._task)
        given = self.shown(result)
        if not self.is_explicit:
            self.results.append(given)
        self.task["hosts"].append({"host": result._host.get_name(), "status": status, "result": given})

    def shown(self, result):
        given = result._result
        if self.is_explicit:
            return {"changed": bool(given.get("changed", False))}
        if given.get("_ansible_no_log", False) or result._task.no_log:
            return {"censored": "the task has no_log", "changed": bool(given.get("changed", False))}
        return {name: value for name, value in given.items() if not name.startswith("_ansible_")}
