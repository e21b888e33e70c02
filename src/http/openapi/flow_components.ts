/** Schemas of the parts of flows, and of what the server derives from flows: checks, graphs, dependencies. */
import { FIXTURE_STATES } from "../../model/executions/fixtures.ts";
import { STATES } from "../../model/executions/state.ts";
import { TEST_STATES } from "../../services/flow_tests/flow_tests.ts";
import { OPERATOR_NAMES } from "../../services/flow_tests/operators.ts";
import {
  ANYTHING,
  FLAG,
  INTEGER,
  listOf,
  MAP,
  mapOf,
  objectOf,
  oneOf,
  ref,
  type Schema,
  TEXT,
} from "./schema.ts";

const GRAPH_RELATIONS = [
  ...["SEQUENTIAL", "PARALLEL", "CHOICE", "DYNAMIC", "ERROR", "FINALLY", "AFTER_EXECUTION"],
];

/** Declarations as written in the source: types add members, and some may be expressions. */
const DECLARATIONS: Readonly<Record<string, Schema>> = {
  Task: objectOf({ id: TEXT, type: TEXT }),
  Trigger: objectOf({ id: TEXT, type: TEXT }),
  FlowInput: objectOf({ "id?": TEXT, "type?": TEXT, "description?": TEXT, "defaults?": ANYTHING }),
  FlowOutput: objectOf({ "id?": TEXT, "type?": TEXT, "value?": ANYTHING }),
};

const CHECK = {
  index: INTEGER,
  "flow?": TEXT,
  "namespace?": TEXT,
  "constraints?": TEXT,
  outdated: FLAG,
  deprecationPaths: listOf(TEXT),
  warnings: listOf(TEXT),
  infos: listOf(TEXT),
  problems: listOf(ref("FlowProblem")),
};

const CHECKS: Readonly<Record<string, Schema>> = {
  FlowCheck: objectOf(CHECK),
  DashboardCheck: objectOf({ ...CHECK, "definition?": mapOf(ANYTHING) }),
  FlowProblem: objectOf({
    code: TEXT,
    path: TEXT,
    message: TEXT,
    severity: oneOf(["error", "warning"]),
    "line?": INTEGER,
    "column?": INTEGER,
    "length?": INTEGER,
  }),
  InputCheck: objectOf({
    id: TEXT,
    namespace: TEXT,
    inputs: listOf(ref("CheckedInput")),
    checks: listOf(ref("FailedCheck")),
  }),
  CheckedInput: objectOf({
    input: ref("FlowInput"),
    enabled: FLAG,
    isDefault: FLAG,
    "value?": ANYTHING,
    errors: listOf(objectOf({ message: TEXT })),
  }),
  FailedCheck: objectOf({ message: TEXT, style: TEXT, behavior: TEXT }),
};

const GRAPHS: Readonly<Record<string, Schema>> = {
  Graph: objectOf({
    nodes: listOf(ref("GraphNode")),
    edges: listOf(ref("GraphEdge")),
    clusters: listOf(ref("GraphCluster")),
    flowables: listOf(TEXT),
  }),
  GraphNode: objectOf({
    uid: TEXT,
    type: TEXT,
    "relationType?": oneOf(GRAPH_RELATIONS),
    "task?": ref("Task"),
    "triggerDeclaration?": ref("Trigger"),
    "trigger?": ref("TriggerState"),
  }),
  GraphEdge: objectOf({ source: TEXT, target: TEXT, relation: ref("GraphRelation") }),
  GraphRelation: objectOf({ "relationType?": oneOf(GRAPH_RELATIONS), "value?": TEXT }),
  GraphCluster: objectOf({
    cluster: objectOf({
      uid: TEXT,
      type: TEXT,
      "relationType?": oneOf(GRAPH_RELATIONS),
      "taskNode?": ref("GraphNode"),
    }),
    nodes: listOf(TEXT),
    parents: listOf(TEXT),
    start: TEXT,
    end: TEXT,
  }),
  Dependencies: objectOf({ nodes: listOf(ref("DependencyNode")), edges: listOf(ref("DependencyEdge")) }),
  DependencyNode: objectOf({ uid: TEXT, namespace: TEXT, id: TEXT }),
  DependencyEdge: objectOf({ source: TEXT, target: TEXT, relation: oneOf(["FLOW_TASK", "FLOW_TRIGGER"]) }),
  ExpressionVariables: mapOf(listOf(TEXT)),
  ExpressionFunction: objectOf({ name: TEXT, arguments: listOf(TEXT) }),
};

const TESTS: Readonly<Record<string, Schema>> = {
  UnitTest: objectOf({
    "id?": TEXT,
    "type?": TEXT,
    "description?": TEXT,
    "disabled?": FLAG,
    "fixtures?": objectOf({
      "inputs?": MAP,
      "tasks?": listOf(ref("TaskFixture")),
      "trigger?": objectOf({ id: TEXT, type: TEXT, "variables?": MAP }),
    }),
    "assertions?": listOf(ref("Assertion")),
  }),
  TaskFixture: objectOf({
    id: TEXT,
    "description?": TEXT,
    "value?": TEXT,
    "state?": oneOf(FIXTURE_STATES),
    "outputs?": MAP,
  }),
  Assertion: objectOf({
    value: ANYTHING,
    "taskId?": TEXT,
    "description?": TEXT,
    "errorMessage?": TEXT,
    ...Object.fromEntries(OPERATOR_NAMES.map((name) => [`${name}?`, ANYTHING])),
  }),
  UnitTestResult: objectOf({
    "testId?": TEXT,
    "executionId?": TEXT,
    "url?": TEXT,
    "executionState?": oneOf(STATES),
    state: oneOf(TEST_STATES),
    assertionResults: listOf(ref("AssertionResult")),
    errors: listOf(objectOf({ message: TEXT })),
  }),
  AssertionResult: objectOf({
    operator: oneOf(OPERATOR_NAMES),
    expected: ANYTHING,
    actual: ANYTHING,
    isSuccess: FLAG,
    "taskId?": TEXT,
    "description?": TEXT,
    "errorMessage?": TEXT,
  }),
};

/** By the name that `$ref` uses. */
export const FLOW_COMPONENTS: Readonly<Record<string, Schema>> = {
  ...DECLARATIONS,
  ...CHECKS,
  ...GRAPHS,
  ...TESTS,
};
