/** Scripts with their own user; needs root, and the user "nobody". */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { systemClock } from "../../../src/base/time/clock.ts";
import { systemRandomBytes } from "../../../src/base/id.ts";
import { Processes } from "../../../src/machine/scripts/processes.ts";
import { ScriptOwner } from "../../../src/machine/scripts/script_owner.ts";
import { WorkDirectories } from "../../../src/machine/scripts/work_directories.ts";
import { processesWith, until } from "../../support/processes/machine_processes.ts";
import { yaml } from "../../support/flows/request_bodies.ts";
import { ATTEMPT, noContainers, shellScript } from "../../support/processes/scripts.ts";
import { ServerProcess } from "../../support/processes/server_process.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const NOBODY = { name: "nobody", userId: 65534, groupId: 65534 };
const ignore = Deno.uid() !== 0 || !hasNobody();

function hasNobody(): boolean {
  try {
    return Deno.readTextFileSync("/etc/passwd").includes("\nnobody:x:65534:65534:");
  } catch {
    return false; // No such file: a machine with another list of users.
  }
}

const FLOW = `
id: who
namespace: demo
tasks:
  - id: alone
    type: io.kestra.plugin.scripts.shell.Commands
    warningOnStdErr: false
    outputDirectory: true
    inputFiles: {in.txt: given, deep/in.txt: deeper}
    outputFiles: ["*.txt", "deep/*"]
    commands:
      - echo "user $(id -u) $(id -g) $(id -G) $USER"
      - test "$HOME" = "$(pwd)" && echo at home
      - for f in encryption.key sluice.db sluice.db-wal; do cat DATA/$f > /dev/null 2>&1 && echo "read $f"; done || true
      - ls "$(dirname "$(pwd)")" > /dev/null 2>&1 && echo "sees others" || true
      - echo more >> in.txt && echo more >> deep/in.txt && echo mine > deep/own
      - echo kept > "$OUTPUT_DIR/kept" && ln -s /etc/hostname link.txt
      - chmod 777 .
  - id: linked
    type: io.kestra.plugin.scripts.shell.Commands
    outputDirectory: true
    commands: ['rmdir "$OUTPUT_DIR" && ln -s DATA "$OUTPUT_DIR"']
  - id: together
    type: io.kestra.plugin.core.flow.WorkingDirectory
    inputFiles: {shared.txt: zero}
    outputFiles: ["*.txt"]
    tasks:
      - id: first
        type: io.kestra.plugin.scripts.shell.Commands
        commands: ["echo one >> shared.txt"]
      - id: between
        type: io.kestra.plugin.core.storage.LocalFiles
        inputs: {between.txt: two}
      - id: second
        type: io.kestra.plugin.scripts.shell.Script
        script: cat between.txt >> shared.txt && echo three >> between.txt
`;

interface Ended {
  readonly id: string;
  readonly state: { readonly current: string };
  readonly taskRunList: readonly {
    readonly taskId: string;
    readonly outputs?: { readonly outputFiles?: Readonly<Record<string, string>> };
  }[];
}

/** The files that a task left, by name. */
async function readFiles(
  { url }: ServerProcess,
  { id, taskRunList }: Ended,
  taskId: string,
): Promise<Record<string, string>> {
  const files = taskRunList.find((run) => run.taskId === taskId)?.outputs?.outputFiles ?? {};
  const texts = Object.entries(files).map(async ([name, uri]) => {
    const path = encodeURIComponent(uri);
    return [name, await (await fetch(`${url}/api/v1/main/executions/${id}/file?path=${path}`)).text()];
  });
  return Object.fromEntries(await Promise.all(texts));
}

/** A test that only root can run. */
function testAsRoot(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

testAsRoot(
  "main.ts --script-user runs scripts as that user, who reads nothing of the server's and owns what it works on",
  async () => {
    await withTempDir(async (root) => {
      const dataDir = `${root}/data`;
      await Deno.mkdir(dataDir);
      for (const path of [root, dataDir]) await Deno.chmod(path, 0o755);
      await using server = await ServerProcess.start({ dataDir, args: ["--script-user", "nobody"] });
      await server.json("POST", "/flows", yaml(FLOW.replaceAll("DATA", dataDir)));
      const { id } = await server.json<{ id: string }>("POST", "/executions/demo/who?wait=true");
      const ended = await server.json<Ended>("GET", `/executions/${id}`);
      const logs = await server.json<readonly { readonly message: string }[]>("GET", `/logs/${id}`);
      const lines = logs.map(({ message }) => message);
      assertEquals(ended.state.current, "SUCCESS", lines.join("\n"));
      assertEquals(lines.filter((line) => /^(?:user|at|read|sees)/.test(line)), [
        "user 65534 65534 65534 nobody",
        "at home",
      ]);
      const filesOf = (taskId: string) => readFiles(server, ended, taskId);
      assertEquals(await filesOf("alone"), {
        "kept": "kept\n",
        "in.txt": "givenmore\n",
        "deep/in.txt": "deepermore\n",
        "deep/own": "mine\n",
      });
      assertEquals(await filesOf("linked"), {});
      assertEquals(await filesOf("together"), { "shared.txt": "zeroone\ntwo", "between.txt": "twothree\n" });
      assert(!server.log.includes("as root"), server.log);
      assertMatch(server.log, /Scripts have (?:no )?control groups/);
    });
  },
);

testAsRoot(
  "main.ts refuses a user of scripts that there is not, and tells of scripts that run as root",
  async () => {
    await withTempDir(async (root) => {
      const { code, log } = await ServerProcess.run([
        "--data-dir",
        `${root}/a`,
        "--script-user",
        "nobody-at-all",
      ]);
      assertEquals(code, 1, log);
      assertMatch(log, /Cannot run scripts as "nobody-at-all": there is no such user/);
      await using server = await ServerProcess.start({ dataDir: `${root}/b` });
      if (!Deno.readTextFileSync("/etc/passwd").includes("\nsluice:")) {
        await server.waitForLog(/Scripts run as root: create a user "sluice"/, 60_000);
      }
    });
  },
);

/** Directories and processes of a server that runs scripts as nobody. */
async function withScripts(
  work: (
    directories: WorkDirectories,
    run: (directory: string, script: string, packageDirectory?: string) => Promise<string[]>,
  ) => Promise<void>,
): Promise<void> {
  const owner = new ScriptOwner(NOBODY);
  const options = { clock: systemClock, host: "127.0.0.1", scriptUser: NOBODY };
  const env = new Map([["PATH", Deno.env.get("PATH") ?? ""], ["XDG_CONFIG_HOME", "/root"]]);
  await using directories = new WorkDirectories(undefined, owner);
  await using processes = new Processes(options, () => 1, {
    env,
    containers: noContainers(),
    directories,
    randomBytes: systemRandomBytes,
  });
  await work(directories, async (workingDirectory, script, packageDirectory) => {
    const lines: string[] = [];
    const onLine = ({ text }: { text: string }) => void lines.push(text);
    await processes.run(ATTEMPT, shellScript(script, { workingDirectory, packageDirectory, onLine }));
    return lines;
  });
}

testAsRoot("Processes.run() lends a directory to the user of scripts, and takes it back", async () => {
  await withScripts(async (directories, run) => {
    const directory = await directories.make("a");
    await Deno.writeTextFile(`${directory}/given`, "x");
    await Deno.symlink("/etc/hostname", `${directory}/link`);
    const before = (await Deno.lstat("/etc/hostname")).uid;
    assertEquals(await run(directory, "stat -c %u . given; chmod 777 .; echo $XDG_CONFIG_HOME"), [
      "65534",
      "65534",
      "",
    ]);
    const { uid, mode } = await Deno.lstat(directory);
    assertEquals([uid, (mode ?? 0) & 0o777], [0, 0o700]);
    assertEquals((await Deno.lstat("/etc/hostname")).uid, before);
    const other = await directories.make("b");
    assertEquals(await run(other, `cat ${directory}/given 2>/dev/null || echo closed`), ["closed"]);
  });
});

testAsRoot(
  "Processes.run() lends the directory of packages, too, and a cache belongs to the user",
  async () => {
    await withScripts(async (directories, run) => {
      const [directory, packages] = [await directories.make("a"), await directories.make("a-packages")];
      const cache = await directories.cacheOf("main");
      const script =
        `touch ${packages}/p ${cache}/c && stat -c %u . ${packages}; ls $(dirname ${cache}) 2>/dev/null`;
      assertEquals(await run(directory, script, packages), ["65534", "65534"]);
      assertEquals((await Deno.lstat(packages)).uid, 0);
      const other = await directories.make("b");
      assertEquals(await run(other, `touch ${packages}/q 2>/dev/null || ls ${cache}`), ["c"]);
    });
  },
);

testAsRoot(
  "WorkDirectories.share() gives scripts a directory that they read, and to which they add nothing",
  async () => {
    await withScripts(async (directories, run) => {
      const shared = await directories.share({
        key: "k",
        now: 0,
        signal: new AbortController().signal,
        fill: async (path) => (await run(path, "echo package > p")).length === 0,
      });
      const directory = await directories.make("a");
      assertEquals(
        await run(directory, `cat ${shared?.path}/p; touch ${shared?.path}/q 2>/dev/null || echo refused`),
        [
          "package",
          "refused",
        ],
      );
      shared?.release();
    });
  },
);

testAsRoot(
  "ScriptOwner.lend() keeps a directory lent until its last script has ended, and gives no file with two names",
  async () => {
    await withTempDir(async (root) => {
      const owner = new ScriptOwner(NOBODY);
      const first = Promise.withResolvers<void>(), begun = Promise.withResolvers<void>();
      const lent = owner.lend(root, () => (begun.resolve(), first.promise));
      await begun.promise;
      await owner.lend(root, () => Promise.resolve());
      assertEquals((await Deno.lstat(root)).uid, NOBODY.userId);
      first.resolve();
      await lent;
      assertEquals((await Deno.lstat(root)).uid, 0);
      const gone = `${root}/gone`;
      await Deno.mkdir(gone);
      assertEquals(await owner.lend(gone, () => Deno.remove(gone).then(() => "ran")), "ran");
      await Deno.writeTextFile(`${root}/one`, "x");
      await Deno.link(`${root}/one`, `${root}/two`);
      const problem = await owner.lend(root, () => Promise.resolve("ran")).catch((error: Error) =>
        error.message
      );
      assertMatch(problem, /^Cannot give ".*" to the user of scripts: something has exchanged it$/);
    });
  },
);

/** A process that outlives its script, out of its group and without its mark, until the file "go" is there. */
const LEFTOVER = `mkdir sub && echo own > sub/f && cd sub
env -i /usr/bin/setsid /bin/sh -c '
  touch "$1/up"; until [ -e "$1/go" ]; do sleep 0.01; done
  rm -f f; ln -s /etc/shadow f; cd ..; rm -rf sub; ln -s /etc sub; touch "$1/done"
' swap MARKS > /dev/null 2>&1 &
until [ -e MARKS/up ]; do sleep 0.01; done
`;

testAsRoot(
  "a process that outlived its script cannot exchange files of its directory for links",
  async () => {
    await withTempDir(async (marks) => {
      await Deno.chmod(marks, 0o777);
      await withScripts(async (directories, run) => {
        const directory = await directories.make("a");
        assertEquals(await run(directory, LEFTOVER.replaceAll("MARKS", marks)), []);
        await Deno.writeTextFile(`${marks}/go`, "");
        // Where groups of control end it, it does nothing.
        await until(async () =>
          await exists(`${marks}/done`) ||
          processesWith(marks, "").length === 0
        );
        assertEquals((await Deno.lstat(`${directory}/sub`)).isDirectory, true);
        assertEquals(await Deno.readTextFile(`${directory}/sub/f`), "own\n");
        // A later script gets the folder again.
        assertEquals(await run(directory, "echo more >> sub/f && cat sub/f"), ["own", "more"]);
      });
    });
  },
);

testAsRoot("a second name of a file of the server is removed from the directory of a script", async () => {
  await withTempDir(async (root) => {
    await Deno.writeTextFile(`${root}/key`, "secret");
    await Deno.mkdir(`${root}/work/deep`, { recursive: true });
    await new ScriptOwner(NOBODY).lend(`${root}/work`, async () => {
      await Deno.link(`${root}/key`, `${root}/work/deep/key`);
      await Deno.writeTextFile(`${root}/work/deep/kept`, "");
    });
    assertEquals(Array.from(Deno.readDirSync(`${root}/work/deep`), ({ name }) => name), ["kept"]);
    assertEquals(await Deno.readTextFile(`${root}/key`), "secret");
    assertEquals((await Deno.stat(`${root}/key`)).uid, 0);
  });
});

testAsRoot("scripts change nothing in the content of a shared directory", async () => {
  await withScripts(async (directories, run) => {
    const fill = async (path: string) =>
      (await run(
        path,
        "mkdir -p a/b && echo ok > a/b/f && printf '#!/bin/sh\\necho ran' > a/p && chmod 700 a/p",
      ))
        .length === 0;
    const shared = await directories.share({ key: "k", now: 0, signal: new AbortController().signal, fill });
    const directory = await directories.make("a");
    const path = shared?.path;
    const script =
      `{ echo bad > ${path}/a/b/f; rm ${path}/a/p; touch ${path}/a/b/g; mv ${path}/a ${path}/c; } ` +
      `2> /dev/null; cat ${path}/a/b/f; ${path}/a/p; ls ${path}/a/b`;
    assertEquals(await run(directory, script), ["ok", "ran", "f"]);
    shared?.release();
  });
});

testAsRoot(
  "Processes.run() starts no container for a server with a user of scripts, unless it was started for containers",
  async () => {
    await using directories = new WorkDirectories(undefined);
    const options = { clock: systemClock, host: "127.0.0.1", scriptUser: NOBODY };
    const containers = noContainers();
    const environment = { env: new Map(), containers, directories, randomBytes: systemRandomBytes };
    const command = shellScript("id", { onLine: () => {}, place: { type: "container", image: "ubuntu" } });
    for (
      const [scripts, reason] of [["process", /run as the user "nobody".*--scripts container$/], [
        "container",
        /no container runtime works/,
      ]] as const
    ) {
      await using processes = new Processes({ ...options, scripts }, () => 1, environment);
      const problem = await processes.run(ATTEMPT, command).catch((error: Error) => error.message);
      assertMatch(String(problem), reason);
    }
  },
);

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}
