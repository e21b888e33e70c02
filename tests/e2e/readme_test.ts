/** The quick start of README.md, line by line, against the real server: what it shows must be what is printed. */
import { assert, assertEquals, assertGreater } from "@std/assert";
import { ServerProcess } from "../support/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";

/** The address that README.md shows. */
const SHOWN_URL = "http://127.0.0.1:8080";
const ID = /\bA[0-9A-Za-z]{21}\b/g;

/** A line of a console block, and the lines below it. */
interface Step {
  readonly command: string;
  readonly shown: string;
}

/** The steps of all console blocks, in order. */
function readSteps(document: string): Step[] {
  const blocks = [...document.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => block.split(/^\$ /m).slice(1)).map((text) => {
    const [command = "", ...shown] = text.split("\n");
    return { command, shown: shown.join("\n").trimEnd() };
  });
}

/** Text without what differs from run to run: ids, dates, times, durations, and the version of curl. */
function normalize(text: string): string {
  return text
    .replace(ID, "<id>")
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "<date>")
    .replace(/\b\d{13}\b/g, "<time>")
    .replace(/"duration":[\d.e-]+/g, '"duration":<seconds>')
    .replace(/curl\/[\d.\w-]+/g, "<curl>")
    .trimEnd();
}

/** Finds the ids of this run for those that the document shows. */
class Ids {
  readonly #actual = new Map<string, string>();

  learn(shown: string, actual: string): void {
    const found = actual.match(ID) ?? [];
    for (const [index, id] of (shown.match(ID) ?? []).entries()) this.#actual.set(id, found[index] ?? id);
  }

  apply(command: string): string {
    return command.replace(ID, (id) => this.#actual.get(id) ?? id);
  }
}

async function shell(command: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", command], stderr: "null" }).output();
  return new TextDecoder().decode(stdout);
}

/** Runs a step as a reader would, again for a while when the execution that it reads has not ended yet. */
async function runStep(command: string, shown: string): Promise<string> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const output = await shell(command.replace(/^curl /, "curl -s "));
    const isDone = normalize(output) === shown || !command.includes("/executions/A");
    if (isDone || performance.now() > deadline) return output;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const hasCurl = (await shell("command -v curl")) !== "";

Deno.test({
  name: "README.md shows what its lines print",
  ignore: !hasCurl,
  async fn() {
    const steps = readSteps(await Deno.readTextFile("README.md"));
    assertGreater(steps.length, 7);
    await withTempDir(async (root) => {
      await using server = await ServerProcess.start({ dataDir: `${root}/data` });
      const ids = new Ids();
      for (const { command, shown } of steps) {
        assert(command.startsWith("curl ") && command.includes(SHOWN_URL), `"${command}" is no call of curl`);
        const expected = normalize(shown);
        const actual = (await runStep(ids.apply(command).replaceAll(SHOWN_URL, server.url), expected))
          .replaceAll(server.url, SHOWN_URL).replaceAll(new URL(server.url).host, new URL(SHOWN_URL).host);
        assertEquals(normalize(actual), expected, command);
        ids.learn(shown, actual);
      }
    });
  },
});

Deno.test("README.md gives the commands of deno.json for start and test, with the version that is tested", async () => {
  const document = await Deno.readTextFile("README.md");
  const version = /npx -y (deno@[\d.]+) task test/.exec(await Deno.readTextFile(".ci/run"))?.[1];
  for (const task of ["start", "test"]) {
    assert(document.includes(`\nnpx -y ${version} task ${task}\n`), `README.md lacks the line for "${task}"`);
  }
});
