"""Calls the server through the generated package `sluice_client`, which must be on the path.

Every parsed response is held against the annotations of its model. Ends with a
line of JSON: the operations, the number of steps that passed, and the failures.
"""

import datetime
import enum
import importlib
import io
import json
import os
import pathlib
import pkgutil
import time
import types
import typing

import httpx
from sluice_client import Client, api, models
from sluice_client.types import UNSET, File, Unset

URL = os.environ["SERVER_URL"]
USER = os.environ["SERVER_USER"]
FLOWS = pathlib.Path(os.environ["FLOWS"])
TENANT = "main"
NAMESPACE = "clients.demo"
HELLO = {"tenant": TENANT, "namespace": NAMESPACE, "flow_id": "hello"}
OF_NAMESPACE = {"tenant": TENANT, "namespace": NAMESPACE}
# Longest time until an execution reaches a state.
TIMEOUT_SECONDS = 60

client = Client(base_url=URL, httpx_args={"auth": httpx.BasicAuth(USER, os.environ["SERVER_PASSWORD"])}, timeout=httpx.Timeout(60))
modules = {name.rsplit(".", 1)[1]: name for _, name, is_package in pkgutil.walk_packages(api.__path__, "sluice_client.api.") if not is_package}
operations: set[str] = set()
failures: list[str] = []


class Refused(Exception):
    """A response with an error status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status} {text}")
        self.status = status


def call(name: str, **arguments: typing.Any) -> typing.Any:
    """The parsed response of an operation. Raises Refused."""
    operations.add(name)
    response = importlib.import_module(modules[name]).sync_detailed(client=client, **arguments)
    if response.status_code >= 400:
        assert isinstance(response.parsed, models.Problem), f"{name}: an error is no Problem"
        raise Refused(response.status_code, response.parsed.detail)
    check_types(response.parsed, name)
    return response.parsed


def refused(name: str, **arguments: typing.Any) -> int:
    """The status of a response that is expected to be an error."""
    try:
        call(name, **arguments)
    except Refused as error:
        return error.status
    raise AssertionError(f"{name} was expected to fail")


def check_types(value: typing.Any, place: str) -> None:
    """Holds a model and its members against their annotations."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            check_types(item, f"{place}[{index}]")
    if not hasattr(type(value), "__attrs_attrs__") or isinstance(value, File):
        return
    names = {**vars(models), "Unset": Unset, "datetime": datetime, "File": File}
    hints = typing.get_type_hints(type(value), localns=names)
    for field in type(value).__attrs_attrs__:
        member = getattr(value, field.name)
        hint = hints[field.name]
        assert conforms(member, hint), f"{place}.{field.name} is {member!r}, not {hint}"
        check_types(member, f"{place}.{field.name}")


def conforms(value: typing.Any, hint: typing.Any) -> bool:
    """Whether a value has the annotated type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is typing.Any:
        return True
    if origin in (typing.Union, types.UnionType):
        return any(conforms(value, each) for each in arguments)
    if origin is list:
        return isinstance(value, list) and all(conforms(item, arguments[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict) and all(conforms(item, arguments[1]) for item in value.values())
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is str:
        return isinstance(value, str) and not isinstance(value, enum.Enum)
    return isinstance(value, hint)


def body_of(model: str, **members: typing.Any) -> typing.Any:
    """A request model."""
    return getattr(models, model).from_dict(members)


def text_file(text: str, name: str | None = None) -> File:
    return File(payload=io.BytesIO(text.encode()), file_name=name)


def source(file: str) -> str:
    return (FLOWS / f"{file}.yaml").read_text()


def start(flow_id: str, wait: bool | Unset = UNSET) -> typing.Any:
    return call("create_execution", **{**HELLO, "flow_id": flow_id}, wait=wait)


def reached(execution_id: str, *states: str) -> typing.Any:
    """The execution once it has one of these states."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while True:
        execution = call("get_execution", tenant=TENANT, id=execution_id)
        if execution.state.current.value in states:
            return execution
        assert time.monotonic() < deadline, f"{execution_id} is {execution.state.current}, not one of {states}"
        time.sleep(0.05)


def equal(found: typing.Any, expected: typing.Any) -> None:
    assert found == expected, f"{found!r} is not {expected!r}"


def server() -> None:
    equal(call("get_health").status, "UP")
    equal(call("get_configuration").is_basic_auth_enabled, True)
    equal(call("get_current_user").username, USER)


def tenants() -> None:
    equal(call("create_tenant", body=body_of("CreateTenantBody", id="second", name="Second")).id, "second")
    equal(sorted(each.id for each in call("search_tenants", size=100).results), ["main", "second"])
    equal(call("get_tenant", id="second").name, "Second")
    call("delete_tenant", id="second")
    equal(refused("get_tenant", id="second"), 404)


def tokens() -> None:
    token = call("create_api_token_for_current_user", body=body_of("CreateApiTokenForCurrentUserBody", name="client"))
    equal([each.name for each in call("list_api_tokens_for_current_user").results], ["client"])
    call("delete_api_token_for_current_user", id=token.id)
    equal(call("list_api_tokens_for_current_user").total, 0)


def save_flows() -> None:
    [broken] = call("validate_flows", tenant=TENANT, body=text_file("id: x\nnamespace: y\ntasks:\n  - id: a\n    type: b\n"))
    assert any(problem.line in (4, 5) for problem in broken.problems), broken
    for file in ("hello", "approval", "guarded"):
        equal(call("create_flow", tenant=TENANT, body=text_file(source(file))).revision, 1)
    updated = call("update_flow", **HELLO, body=text_file(source("hello").replace("team: clients", "team: others")))
    equal(updated.revision, 2)
    equal([(label.key, label.value) for label in updated.labels], [("team", "others")])
    equal(refused("create_flow", tenant=TENANT, body=text_file(source("hello"))), 422)


def read_flows() -> None:
    flow = call("get_flow", **HELLO, source=True)
    equal([(each.id, each.type_) for each in flow.inputs], [("name", "STRING"), ("doc", "FILE")])
    equal([each.id for each in flow.triggers], ["daily", "hook"])
    page = call("search_flows", tenant=TENANT, namespace=NAMESPACE, size=2, page=2, sort=["id:asc"])
    equal(([each.id for each in page.results], page.total), (["hello"], 3))
    equal(len(call("list_flows_by_namespace", **OF_NAMESPACE)), 3)
    equal([each.revision for each in call("list_flow_revisions", **HELLO)], [1, 2])
    equal(call("get_task_from_flow", **HELLO, task_id="log").id, "log")
    equal(call("list_distinct_namespaces", tenant=TENANT), [NAMESPACE])
    equal(call("search_flows_by_source_code", tenant=TENANT, q="taskrun.value").results[0].model.id, "hello")


def graphs() -> None:
    graph = call("generate_flow_graph", **HELLO)
    assert any(node.task and node.task.id == "greet" for node in graph.nodes)
    assert any(edge.relation.relation_type == "SEQUENTIAL" for edge in graph.edges)
    assert any(cluster.cluster.task_node and cluster.cluster.task_node.task.id == "each" for cluster in graph.clusters)
    equal([node.id for node in call("get_flow_dependencies", **HELLO).nodes], ["hello"])


def bulk_flows() -> None:
    assert len(call("export_flows_by_query", tenant=TENANT, namespace=NAMESPACE).payload.read()) > 100
    flows = text_file(source("guarded").replace("id: guarded", "id: imported"), "flows.yaml")
    equal(call("import_flows", tenant=TENANT, body=models.ImportFlowsBody(file_upload=flows)), [])
    key = models.FlowKey(namespace=NAMESPACE, id="imported")
    imported = {**HELLO, "flow_id": "imported"}
    equal(call("disable_flows_by_ids", tenant=TENANT, body=[key]).count, 1)
    equal(call("get_flow", **imported).disabled, True)
    equal(call("enable_flows_by_ids", tenant=TENANT, body=[key]).count, 1)
    call("delete_flow", **imported)
    equal(refused("get_flow", **imported), 404)


ended: typing.Any = None


def start_and_wait() -> None:
    global ended
    inputs = {"name": "Ann"}
    check = call("validate_new_execution_inputs", **HELLO, body=body_of("ValidateNewExecutionInputsBody", **inputs))
    equal([each.value for each in check.inputs if each.input_.id == "name"], ["Ann"])
    ended = call("create_execution", **HELLO, wait=True, labels=["by:python"], body=body_of("CreateExecutionBody", **inputs))
    equal(ended.state.current.value, "SUCCESS")
    equal(ended.outputs.to_dict(), {"greeting": "Hello Ann"})
    assert any(label.key == "by" and label.value == "python" for label in ended.labels)
    [log, _] = [each for each in ended.task_run_list if each.task_id == "log"]
    equal(log.attempts[0].state.current.value, "SUCCESS")
    assert isinstance(ended.state.start_date, datetime.datetime)


def read_executions() -> None:
    since = ended.state.start_date - datetime.timedelta(minutes=1)
    states = [models.SearchExecutionsStateItem.SUCCESS]
    page = call("search_executions", tenant=TENANT, namespace=NAMESPACE, state=states, start_date=since, size=5)
    equal(([each.id for each in page.results], page.total), ([ended.id], 1))
    [latest] = call("get_latest_executions", tenant=TENANT, body=[models.FlowKey(namespace=NAMESPACE, id="hello")])
    equal((latest.id, latest.status.value), (ended.id, "SUCCESS"))
    equal(call("get_flow_from_execution_by_id", tenant=TENANT, id=ended.id).revision, 2)
    assert len(call("get_execution_flow_graph", tenant=TENANT, id=ended.id).nodes) > 5
    assert ended.id in call("export_executions", tenant=TENANT, namespace=NAMESPACE)


def change_execution() -> None:
    labels = [models.Label(key="checked", value="yes")]
    labelled = call("set_labels_on_terminated_execution", tenant=TENANT, id=ended.id, body=labels)
    assert any(label.key == "checked" and label.value == "yes" for label in labelled.labels)
    equal(call("eval_expression", tenant=TENANT, id=ended.id, body=text_file("{{ inputs.name }}")).result, "Ann")


def outputs() -> None:
    listed = call("get_task_outputs_information", tenant=TENANT, execution_id=ended.id)
    [write] = [each for each in listed if each.task_id == "write"]
    path = call("get_task_run_outputs", tenant=TENANT, execution_id=ended.id, task_run_id=write.task_run_id)["uri"]
    of_file = {"tenant": TENANT, "id": ended.id, "path": path}
    equal(call("download_file_from_execution", **of_file).payload.read(), b"some rows")
    equal(call("get_file_metadatas_from_execution", **of_file).size, 9)
    equal(call("preview_file_from_execution", **of_file).content, "some rows")
    equal(call("get_execution_outputs", tenant=TENANT, execution_id=ended.id).to_dict(), {"greeting": "Hello Ann"})


def logs() -> None:
    level = models.ListLogsFromExecutionMinLevel.INFO
    lines = call("list_logs_from_execution", tenant=TENANT, execution_id=ended.id, min_level=level)
    equal([(line.message, line.level.value) for line in lines], [("value a", "INFO"), ("value b", "INFO")])
    equal(call("search_logs", tenant=TENANT, namespace=NAMESPACE, q="value b", size=5).results[0].task_id, "log")
    assert "value a" in call("download_logs_from_execution", tenant=TENANT, execution_id=ended.id)


def metrics() -> None:
    found = call("search_metrics_by_execution", tenant=TENANT, execution_id=ended.id).results
    equal([each.value for each in found if each.name == "rows"], [3])
    assert "rows" in call("list_flow_metrics", **HELLO)
    aggregation = models.AggregateMetricsFromFlowAggregation.SUM
    parts = call("aggregate_metrics_from_flow", **HELLO, metric="rows", aggregation=aggregation).aggregations
    equal(sum(part.value for part in parts), 3)


def replay() -> None:
    [measure] = [each.id for each in ended.task_run_list if each.task_id == "measure"]
    replayed = call("replay_execution", tenant=TENANT, id=ended.id, task_run_id=measure)
    equal(replayed.original_id, ended.id)
    reached(replayed.id, "SUCCESS")
    # The stream ends with the execution.
    assert "id: end" in call("follow_execution", tenant=TENANT, id=replayed.id)
    call("delete_execution", tenant=TENANT, id=replayed.id)
    equal(refused("get_execution", tenant=TENANT, id=replayed.id), 404)


def resume() -> None:
    paused = reached(start("approval").id, "PAUSED")
    equal(paused.waiting.reason.value, "PAUSED")
    call("resume_execution", tenant=TENANT, id=paused.id, body=body_of("ResumeExecutionBody", approved="true"))
    done = reached(paused.id, "SUCCESS", "FAILED")
    equal(done.state.current.value, "SUCCESS")
    equal([each.outputs.to_dict() for each in done.task_run_list if each.task_id == "decided"], [{"value": "true"}])


def kill() -> None:
    ids = [reached(start("approval").id, "PAUSED").id for _ in range(3)]
    call("kill_execution", tenant=TENANT, id=ids[0])
    equal(call("kill_executions_by_ids", tenant=TENANT, body=ids[1:]).count, 2)
    for each in ids:
        reached(each, "KILLED")


def restart() -> None:
    failed = start("guarded", wait=True)
    equal(failed.state.current.value, "FAILED")
    call("set_key_value", **OF_NAMESPACE, key="ready", body="yes")
    call("restart_execution", tenant=TENANT, id=failed.id)
    done = reached(failed.id, "SUCCESS", "FAILED")
    equal((done.state.current.value, done.metadata.attempt_number), ("SUCCESS", 2))


def triggers() -> None:
    results = call("search_triggers", tenant=TENANT, namespace=NAMESPACE, flow_id="hello").results
    [daily] = [each.state for each in results if each.state.trigger_id == "daily"]
    assert isinstance(daily.next_execution_date, datetime.datetime)
    key = {"namespace": NAMESPACE, "flowId": "hello", "triggerId": "daily"}
    body = body_of("DisableTriggerByIdBody", **key, disabled=True)
    equal(call("disable_trigger_by_id", tenant=TENANT, body=body).disabled, True)
    equal([each.disabled for each in call("search_triggers_for_flow", **HELLO).results if each.trigger_id == "daily"], [True])
    equal(refused("unlock_trigger", **HELLO, trigger_id="daily"), 409)
    started = call("trigger_execution_by_post_webhook", **HELLO, key="a-key-of-the-round-trip", body={"name": "hook"})
    done = reached(started.id, "SUCCESS", "FAILED")
    equal((done.state.current.value, done.trigger.id), ("SUCCESS", "hook"))


def namespaces() -> None:
    other = models.Namespace(id="clients.other", description="Other")
    equal(call("create_namespace", tenant=TENANT, body=other).id, "clients.other")
    equal(call("get_namespace", tenant=TENANT, namespace="clients.other").description, "Other")
    assert any(each.id == NAMESPACE for each in call("search_namespaces", tenant=TENANT, q="clients", size=50).results)
    call("delete_namespace", tenant=TENANT, namespace="clients.other")


def kv_pairs() -> None:
    pair = {**OF_NAMESPACE, "key": "limits"}
    call("set_key_value", **pair, body={"most": 3}, ttl="PT1H", description="Limits")
    stored = call("get_key_value", **pair)
    equal((stored.type_.value, stored.value), ("JSON", {"most": 3}))
    equal(sorted(each.key for each in call("list_keys_of_namespace", **OF_NAMESPACE)), ["limits", "ready"])
    [limits] = [each for each in call("list_all_keys", tenant=TENANT, namespace=NAMESPACE).results if each.key == "limits"]
    assert isinstance(limits.expiration_date, datetime.datetime)
    keys = body_of("DeleteKeyValuesBody", keys=["ready"])
    equal(call("delete_key_values", **OF_NAMESPACE, body=keys).keys, ["ready"])
    equal(call("delete_key_value", **pair), True)


def files() -> None:
    content = models.CreateNamespaceFileBody(file_content=text_file("print('hi')", "main.py"))
    call("create_namespace_file", **OF_NAMESPACE, path="/src/main.py", body=content)
    equal(call("get_file_content", **OF_NAMESPACE, path="/src/main.py").payload.read(), b"print('hi')")
    [entry] = call("list_namespace_directory_files", **OF_NAMESPACE, path="/src")
    equal((entry.file_name, entry.type_.value, entry.size), ("main.py", "File", 11))
    call("move_file_directory", **OF_NAMESPACE, from_="/src/main.py", to="/src/other.py")
    equal(call("search_namespace_files", **OF_NAMESPACE, q="other"), ["/src/other.py"])
    call("delete_file_directory", **OF_NAMESPACE, path="/src")


def secrets() -> None:
    body = body_of("PutSecretsBody", key="TOKEN", value="hidden", description="A token")
    call("put_secrets", **OF_NAMESPACE, body=body)
    listed = call("list_secrets_of_namespace", **OF_NAMESPACE).results
    equal([(each.key, each.description) for each in listed], [("TOKEN", "A token")])
    call("delete_secret", **OF_NAMESPACE, key="TOKEN")


def dashboards() -> None:
    created = call("create_dashboard", tenant=TENANT, body=text_file(source("runs")))
    equal(created.title, "Runs")
    equal(call("get_dashboard", tenant=TENANT, id=created.id).charts[0].id, "by-state")
    body = body_of("GetDashboardChartDataBody", namespace=NAMESPACE)
    counts = call("get_dashboard_chart_data", tenant=TENANT, id=created.id, chart_id="by-state", body=body)
    [succeeded] = [row["total"] for row in counts.results if row["state"] == "SUCCESS"]
    assert succeeded >= 4, counts
    call("delete_dashboard", tenant=TENANT, id=created.id)


def catalog() -> None:
    assert any(plugin.tasks for plugin in call("list_plugins"))
    assert "Return" in call("get_plugin_documentation", cls="io.svc.plugin.core.debug.Return").markdown
    assert any(each.sub_group == "io.svc.plugin.core.debug" for each in call("get_plugin_by_subgroups"))
    assert any(each.name == "Schedule" for each in call("list_trigger_plugins").results)
    body = body_of("RenderExpressionsBody", expressions=["{{ 1 + 1 }}"])
    equal(str(call("render_expressions", tenant=TENANT, body=body).rendered["{{ 1 + 1 }}"]), "2")
    assert "upper" in call("get_expression_filters")
    equal(len(call("search_blueprints", tenant=TENANT, kind="flow", size=1).results), 1)


STEPS = (
    *(server, tenants, tokens, save_flows, read_flows, graphs, bulk_flows),
    *(start_and_wait, read_executions, change_execution, outputs, logs, metrics, replay, resume, kill, restart),
    *(triggers, namespaces, kv_pairs, files, secrets, dashboards, catalog),
)


def main() -> None:
    for step in STEPS:
        try:
            step()
            print(f"ok      {step.__name__}")
        except Exception as error:  # every kind of failure is reported, and the other steps run
            failures.append(f"{step.__name__}: {type(error).__name__}: {error}")
            print(f"FAILED  {failures[-1]}")
    print(json.dumps({"operations": sorted(operations), "passed": len(STEPS) - len(failures), "failures": failures}))


if __name__ == "__main__":
    main()
