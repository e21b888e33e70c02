import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import type { ContainerPermission, ContainerState } from "../../../src/model/ports/containers.ts";
import type { ProcessPolicy, ScriptPlaces } from "../../../src/model/ports/processes.ts";
import { checkPlace, scriptPlace } from "../../../src/tasks/scripts/task_runner.ts";

const FOUND: ContainerState = { runtime: "podman", version: "5.0" };
const MISSING: ContainerState = { problem: "docker: not installed" };

interface Given {
  readonly policy?: Partial<ProcessPolicy>;
  readonly state?: ContainerState;
  readonly allowed?: readonly ContainerPermission[];
}

function placesOf({ policy, state = FOUND, allowed = [] }: Given): ScriptPlaces {
  return {
    policy: { mode: "process", reason: "it is so", ...policy },
    containers: {
      known: state,
      find: () => Promise.resolve(state),
      refresh: () => Promise.resolve(),
      allows: (permission) => allowed.includes(permission),
    },
  };
}

const PROCESS = { taskRunner: { type: "io.kestra.plugin.core.runner.Process" } };
const DOCKER = { taskRunner: { type: "io.kestra.plugin.scripts.runner.docker.Docker" } };
const REFUSED = { containerRefusal: "scripts have a user" };

/** Properties of a task and a server; the image of the container, or "process"; the reason why an image is not used. */
const PLACES: readonly (readonly [properties: JsonObject, given: Given, place: string, reason?: RegExp])[] = [
  [{}, {}, "process"],
  [{ containerImage: "a" }, {}, "a"],
  [{ docker: { image: "a" } }, {}, "a"],
  [{ taskRunner: { ...DOCKER.taskRunner, image: "a" } }, {}, "a"],
  [{ ...DOCKER, containerImage: "a", docker: { image: "b" } }, {}, "a"],
  [DOCKER, {}, "default"],
  [{ runner: "DOCKER" }, {}, "default"],
  [{ runner: "PROCESS", docker: { image: "a" } }, {}, "process", /names the Process runner$/],
  [{ ...PROCESS, containerImage: "a" }, {}, "process", /names the Process runner$/],
  [PROCESS, {}, "process"],
  [
    { containerImage: "a" },
    { state: MISSING },
    "process",
    /^no container runtime works .*\(docker: not installed\); install/,
  ],
  [DOCKER, { state: MISSING }, "process", /^no container runtime works/],
  [{}, { state: MISSING }, "process"],
  [{ containerImage: "a" }, { policy: REFUSED }, "process", /^scripts have a user$/],
  [DOCKER, { policy: REFUSED }, "default"],
  [{}, { policy: { mode: "container" } }, "default"],
  [{}, { policy: { mode: "container" }, state: MISSING }, "default"],
  [PROCESS, { policy: { mode: "container" } }, "process"],
];

for (const [properties, given, expected, reason] of PLACES) {
  Deno.test(`scriptPlace() of ${JSON.stringify([properties, given])}`, async () => {
    const { place, unusedImage } = await scriptPlace(properties, placesOf(given), "default");
    assertEquals(place.type === "process" ? "process" : place.image, expected);
    if (reason) assertMatch(unusedImage?.reason ?? "", reason);
    else assertEquals(unusedImage, undefined);
  });
}

function docker(options: JsonObject): JsonObject {
  return { containerImage: "a", taskRunner: { ...DOCKER.taskRunner, ...options } };
}

/** A task as written, and the problem: `severity path: message`. */
const PROBLEMS: readonly (readonly [task: JsonObject, given: Given, problem: RegExp | undefined])[] = [
  [docker({}), {}, undefined],
  [
    docker({ volumes: ["/a:/b"] }),
    {},
    /^error taskRunner.volumes: is not allowed .* --container-allow volumes$/,
  ],
  [docker({ volumes: ["/a:/b"] }), { allowed: ["volumes"] }, undefined],
  [docker({ privileged: true }), {}, /^error taskRunner.privileged: is not allowed/],
  [docker({ networkMode: "host" }), {}, /^error taskRunner.networkMode: .* --container-allow networks$/],
  [docker({ networkMode: "bridge" }), {}, undefined],
  [docker({ networkMode: "{{ inputs.network }}" }), {}, undefined],
  [docker({ portBindings: ["80:80"] }), {}, /^error taskRunner.portBindings: is not allowed/],
  [docker({ host: "tcp://a:1" }), {}, /^error taskRunner.host: .* --container-allow hosts$/],
  [docker({ user: "a b" }), {}, /^error taskRunner.user: Invalid user "a b"/],
  [{ dockerOptions: { image: "a", volumes: ["/a:/b"] } }, {}, /^error dockerOptions.volumes: is not allowed/],
  [{ containerImage: "Bad Image" }, {}, /^error containerImage: "Bad Image" is not an image reference/],
  [{ containerImage: "{{ inputs.image }}" }, {}, undefined],
  [
    { containerImage: "a" },
    { state: MISSING },
    /^warning containerImage: image a is not used: no container runtime works on this machine \(docker: not installed\); install .*; the commands run as processes$/,
  ],
  [DOCKER, { state: MISSING }, /^warning taskRunner: image default is not used/],
  [{ runner: "DOCKER" }, { state: MISSING }, /^warning runner: image default is not used/],
  [{ docker: { image: "a" } }, { state: MISSING }, /^warning docker.image: image a is not used/],
  [{ ...PROCESS, containerImage: "a" }, { state: MISSING }, undefined],
  [{ containerImage: "a" }, { policy: REFUSED }, /^warning containerImage: .*scripts have a user/],
  [{ containerImage: "a" }, { state: MISSING, policy: { mode: "container" } }, undefined],
  [{}, { state: MISSING }, undefined],
];

for (const [task, given, expected] of PROBLEMS) {
  Deno.test(`checkPlace() of ${JSON.stringify([task, given])}`, () => {
    const problems = checkPlace(task, placesOf(given), "default").map(({ severity, path, message }) =>
      `${severity} ${path.join(".")}: ${message}`
    );
    if (expected) assertMatch(problems.join("\n"), expected);
    else assertEquals(problems, []);
  });
}
