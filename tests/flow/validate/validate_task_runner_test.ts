import { assertEquals } from "@std/assert";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";

const CATALOGS = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };
const PREFIX = "io.kestra.plugin";
const DOCKER = `${PREFIX}.scripts.runner.docker.Docker`;
const WAY =
  `: this server runs scripts itself, not on other services; use "${PREFIX}.core.runner.Process" or "${DOCKER}"`;

/** Task runners, and the problems that they are refused with: `path @line:column message`. */
const RUNNERS: readonly (readonly [runner: string, ...problems: string[]])[] = [
  [`{type: ${PREFIX}.core.runner.Process}`],
  [`{type: ${DOCKER}, cpu: {cpus: "{{ 1 }}"}, memory: {memory: 512MB}}`],
  [
    `{type: ${PREFIX}.core.runner.Procces}`,
    `type @7:24 Invalid task runner: ${PREFIX}.core.runner.Procces, did you mean "${PREFIX}.core.runner.Process"`,
  ],
  ...["ee.gcp.runner.Batch", "ee.aws.runner.Batch", "ee.kubernetes.runner.Kubernetes", "core.log.Log"].map((
    name,
  ) => [`{type: ${PREFIX}.${name}}`, `type @7:24 Invalid task runner: ${PREFIX}.${name}${WAY}`] as const),
  ["{image: ubuntu}", "type @7:17 must not be null"],
  [`{type: ${PREFIX}.core.runner.Process, image: a}`, 'image @7:62 Unrecognized field "image"'],
  [`{type: ${DOCKER}, cpus: 1}`, 'cpus @7:71 Unrecognized field "cpus", did you mean "cpu"'],
  [
    `{type: ${DOCKER}, pullPolicy: Sometimes}`,
    'pullPolicy @7:83 must be one of "ALWAYS", "IF_NOT_PRESENT", "NEVER", but received "Sometimes"',
  ],
  [
    `{type: ${DOCKER}, wait: false}`,
    'wait @7:77 "wait: false" is not supported: a container ends with its task; leave it out',
  ],
  [
    `{type: ${DOCKER}, networkMode: "container:x"}`,
    'networkMode @7:84 Invalid networkMode "container:x": it must be none, bridge, host or the name of a network',
  ],
];

for (const [runner, ...expected] of RUNNERS) {
  Deno.test(`validateFlow() of the task runner ${runner}`, () => {
    const source = `id: a
namespace: b
tasks:
  - id: t
    type: ${PREFIX}.scripts.shell.Commands
    commands: [id]
    taskRunner: ${runner}
`;
    const problems = validateFlow(parseFlowSource(source), CATALOGS)
      .filter(({ severity }) => severity === "error")
      .map(({ path, range, message }) => {
        const name = path.replace("tasks[0].taskRunner.", "");
        return `${name} @${range?.line}:${range?.column} ${message}`;
      });
    assertEquals(problems, expected);
  });
}
