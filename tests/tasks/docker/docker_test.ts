/** The types of docker with real containers and images of Podman. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { containersWith, podmanProblem, TEST_IMAGE } from "../../support/processes/containers.ts";
import { Harness } from "../../support/harness.ts";
import { runScripts } from "../../support/flows/script_flows.ts";

const problem = await podmanProblem();

/** Runs the tasks of `docker.<type>`, one flow each, and returns state, outputs of the last one, and the log. */
async function run(app: Harness, ...tasks: readonly (readonly [type: string, properties: JsonObject])[]) {
  const list = tasks.map(([type, properties], index) =>
    `  - ${JSON.stringify({ id: `t${index}`, type: `io.kestra.plugin.docker.${type}`, ...properties })}\n`
  );
  const { execution, outputs, lines, id } = await runScripts(app, list.join(""));
  return { state: execution.state.current, outputs, lines, id };
}

const OFFLINE = { pullPolicy: "NEVER", networkMode: "none" };

Deno.test("Run, Build, Tag, ImageLs, Stop and Rm work with real containers and images", async (test) => {
  if (problem !== undefined) return void await test.step({ name: problem, ignore: true, fn() {} });
  await using app = await Harness.start({ containerRuntime: "podman" });
  const who = crypto.randomUUID();
  const name = `localhost/sluice-test/built-${who}`;
  await using images = new AsyncDisposableStack();
  images.defer(async () => {
    await new Deno.Command("podman", { args: ["rmi", "--force", "--", `${name}:1`, `${name}:2`] }).output();
  });
  let imageId = "";
  await test.step("Build makes an image of the files of the task", async () => {
    const dockerfile =
      `FROM ${TEST_IMAGE}\nCOPY in.txt /in.txt\nARG WHO\nLABEL who=$WHO\nENTRYPOINT ["/bin/sh", "-c", "cat /in.txt; ls; echo $0"]\nCMD ["given"]\n`;
    const built = await run(app, ["Build", {
      dockerfile,
      tags: [`${name}:1`],
      pull: false,
      inputFiles: { "in.txt": "hello\n" },
      buildArgs: { WHO: who },
      labels: { kind: "test" },
    }]);
    assertEquals([built.state, built.lines.filter((line) => line.startsWith("ERROR"))], ["SUCCESS", []]);
    imageId = String(built.outputs.imageId);
    assertMatch(imageId, /^(?:sha256:)?[0-9a-f]{64}$/);
  });
  await test.step("Run uses entry point and command of the image, which those of the task replace", async () => {
    const container = { containerImage: `${name}:1`, ...OFFLINE };
    const files = { inputFiles: { "b.txt": "b" } };
    assertEquals((await run(app, ["Run", { ...container, ...files }])).lines, [
      ...["INFO hello", "INFO b.txt", "INFO given"],
    ]);
    assertEquals((await run(app, ["Run", { ...container, commands: ["x y"] }])).lines, [
      "INFO hello",
      "INFO x y",
    ]);
    const own = {
      entryPoint: ["/bin/sh", "-c"],
      commands: ["echo own > out.txt; id -u; exit 3"],
      user: "77:77",
    };
    const failed = await run(app, ["cli.Run", { ...container, ...own, outputFiles: ["*.txt"] }]);
    assertEquals([failed.state, failed.lines, failed.outputs.exitCode], [
      ...["FAILED", ["INFO 77", "ERROR Command failed with exit code 3"], 3],
    ]);
    assertEquals(Object.keys(failed.outputs.outputFiles as object), ["out.txt"]);
  });
  await test.step("ImageLs finds it by name and label, also by its further name", async () => {
    const [tagged] = [await run(app, ["Tag", { sourceImage: `${name}:1`, targetImage: `${name}:2` }])];
    assertEquals([tagged?.state, tagged?.lines.length], ["SUCCESS", 1]);
    const { outputs } = await run(app, ["ImageLs", { imageNameFilter: name, labelFilter: { kind: "test" } }]);
    const [image] = outputs.images as {
      id: string;
      repoTags: string[];
      labels: JsonObject;
      size: number;
      created: number;
    }[];
    assertEquals([outputs.count, image?.id.replace(/^sha256:/, "")], [1, imageId.replace(/^sha256:/, "")]);
    assertEquals([image?.repoTags.toSorted(), image?.labels.who], [[`${name}:1`, `${name}:2`], who]);
    assert(Number(image?.size) > 1000 && Number(image?.created) > 1_600_000_000);
  });
  await test.step("Run without wait leaves the container to Stop", async () => {
    const properties = {
      ...{
        containerImage: TEST_IMAGE,
        ...OFFLINE,
        wait: false,
        commands: ["sh", "-c", "cat a; sleep 1000000"],
      },
      inputFiles: { a: "here" },
    };
    const { outputs, state, id } = await run(app, ["Run", properties]);
    const { containerId } = outputs.taskRunner as { containerId: string };
    assertEquals([state, await containersWith(`sluice.execution=${id}`)], ["SUCCESS", [containerId]]);
    assertEquals((await run(app, ["Stop", { containerId, kill: true }])).state, "SUCCESS");
    assertEquals(await containersWith(`sluice.execution=${id}`), []);
  });
  await test.step("Rm removes images, and names what is missing", async () => {
    const removed = await run(app, ["Rm", { imageIds: [`${name}:1`, `${name}:2`] }]);
    assertEquals([removed.state, removed.lines], ["SUCCESS", ["INFO Removed 0 containers and 2 images"]]);
    const again = await run(app, ["Rm", { imageIds: [`${name}:1`] }]);
    assertEquals(again.state, "FAILED");
    assertMatch(
      again.lines.at(-1) ?? "",
      /^ERROR Cannot remove the images localhost\/.*: .*(?:no such image|image not known)/i,
    );
  });
  await test.step("a failed build has the words of the runtime", async () => {
    const { state, lines } = await run(app, ["Build", {
      dockerfile: "FROM scratch\nBAD x\n",
      tags: "a:1",
      pull: false,
    }]);
    assertEquals(state, "FAILED");
    assertMatch(lines.at(-1) ?? "", /^ERROR Cannot build the image "a:1": .*BAD/i);
  });
});
