/** The types of SSH, SFTP, FTP and FTPS, against OpenSSH and vsftpd. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { parseYaml } from "../../src/languages/yaml/mod.ts";
import { downloadTask } from "../../src/integrations/fs/read_tasks.ts";
import { sortedFiles } from "../../src/integrations/fs/paths.ts";
import { freePort } from "../support/processes/free_port.ts";
import { hasFileServers, withFtpServer, withSshServer } from "../support/servers/file_servers.ts";
import { Harness } from "../support/harness.ts";
import { hasEnded, until } from "../support/processes/machine_processes.ts";
import { evaluationsOf, executionsOf, stateOf } from "../support/flows/triggers.ts";
import { runDefinition } from "../support/flows/definition_run.ts";
import { runTasks, storedText } from "../support/flows/run_flow.ts";

/** Skipped where the programs are missing. */
const ignore = !hasFileServers();
const TYPE = "io.kestra.plugin.fs";

/** Starts servers of both kinds; gives a form of each connection that a flow writes, and its folder. */
async function withServer(
  protocol: string,
  work: (connection: string, place: { remote: string; local: string }) => Promise<void>,
): Promise<void> {
  if (protocol !== "sftp") {
    const tls = protocol === "ftps" ? ", insecureTrustAllCertificates: true" : "";
    return await withFtpServer(({ port, folder }) =>
      work(`host: localhost, port: ${port}, username: anonymous, password: x${tls}`, {
        remote: "/files",
        local: folder,
      })
    );
  }
  await withSshServer(({ port, privateKey, folder }) =>
    work(`host: localhost, port: ${port}, username: root, keyfile: ${JSON.stringify(privateKey)}`, {
      remote: folder,
      local: folder,
    })
  );
}

for (const protocol of ["sftp", "ftp", "ftps"]) {
  Deno.test({ name: `the types of fs.${protocol} copy, list, move and delete files`, ignore }, async () => {
    await withServer(protocol, async (connection, { remote, local }) => {
      await using app = await Harness.start();
      const task = (id: string, type: string, rest: string) =>
        `- {id: ${id}, type: ${TYPE}.${protocol}.${type}, ${connection}, ${rest}}\n`;
      const ended = await runTasks(
        app,
        `- {id: file, type: io.kestra.plugin.core.storage.Write, content: "one", extension: .txt}
${task("up", "Upload", `from: "{{ outputs.file.uri }}", to: "${remote}/a b/one.txt"`)}` +
          task("ups", "Uploads", `from: {two.csv: "{{ outputs.file.uri }}"}, to: "${remote}/a b"`) +
          task("list", "List", `from: "${remote}/", recursive: true, regExp: ".*\\\\.(txt|csv)"`) +
          task("move", "Move", `from: "${remote}/a b/two.csv", to: "${remote}/c/"`) +
          task("down", "Download", `from: "{{ outputs.list.files[0].path }}"`) +
          task("all", "Downloads", `from: "${remote}/a b", action: MOVE, moveDirectory: "${remote}/done"`) +
          task("delete", "Delete", `uri: "${remote}/c/two.csv"`) +
          task("gone", "Delete", `uri: "${remote}/c/two.csv"`),
      );
      assertEquals([ended.state, ended.errors], ["SUCCESS", []]);
      const { list, move, down, all, delete: deleted, gone } = ended.outputs;
      const listed = list?.files as JsonObject[];
      assertEquals(listed.map(({ name, path, size }) => [name, path, size]), [
        ["one.txt", `${remote}/a b/one.txt`, 3],
        ["two.csv", `${remote}/a b/two.csv`, 3],
      ]);
      assertEquals(move?.to, `${remote}/c/two.csv`);
      assertEquals(await storedText(app, ended, down?.uri), "one");
      const [taken] = all?.files as JsonObject[];
      assertEquals([taken?.name, taken?.serverPath], ["one.txt", `${remote}/a b/one.txt`]);
      assertEquals(await storedText(app, ended, taken?.path), "one");
      assertEquals([deleted?.deleted, gone?.deleted], [true, false]);
      assertEquals(await Deno.readTextFile(`${local}/done/one.txt`), "one");
    });
  });
}

Deno.test(
  { name: "a trigger of fs starts once for each file that stays, and again when it changes", ignore },
  async () => {
    await withServer("sftp", async (connection, { remote, local }) => {
      await Deno.writeTextFile(`${local}/a.csv`, "one");
      await Deno.writeTextFile(`${local}/b.txt`, "no match");
      await using app = await Harness.start();
      await app.save(`id: p
namespace: demo
triggers:
- {id: t, type: ${TYPE}.sftp.Trigger, interval: PT1M, ${connection}, from: "${remote}", regExp: ".*csv"}
tasks:
- {id: l, type: io.kestra.plugin.core.log.Log, message: "{{ trigger.files[0].name }}"}
`);
      const polled = async (ms: number, count: number) => {
        await app.advance(ms);
        await until(async () => evaluationsOf(await stateOf(app, "p")).length >= count);
        return (await executionsOf(app, "p")).length;
      };
      assertEquals(await polled(1_000, 1), 1);
      assertEquals(await polled(60_000, 2), 1);
      await Deno.writeTextFile(`${local}/a.csv`, "changed");
      assertEquals(await polled(60_000, 3), 2);
      const [execution] = await executionsOf(app, "p");
      const [file] = (execution?.trigger?.files ?? []) as JsonObject[];
      assertEquals([file?.name, file?.serverPath], ["a.csv", `${remote}/a.csv`]);
    });
  },
);

for (const protocol of ["sftp", "ftp", "ftps"]) {
  Deno.test({ name: `the types of fs.${protocol} take files in the order of sort`, ignore }, async () => {
    await withServer(protocol, async (connection, { remote, local }) => {
      const files: readonly [name: string, size: number, day: number][] = [["a.csv", 2, 3], ["b.csv", 3, 1], [
        "c.csv",
        2,
        2,
      ]];
      for (const [name, size, day] of files) {
        await Deno.writeTextFile(`${local}/${name}`, "x".repeat(size));
        await Deno.utime(`${local}/${name}`, new Date(`2024-02-0${day}`), new Date(`2024-02-0${day}`));
      }
      await using app = await Harness.start();
      const orders = ["PATH", "NAME_DESC", "SIZE", "SIZE DESC", "UPDATED_DATE", "LAST_MODIFIED:DESC"];
      const list = (sort: string, index: number) =>
        `- {id: l${index}, type: ${TYPE}.${protocol}.List, ${connection}, from: "${remote}", sort: "${sort}", regExp: .*csv}\n`;
      const ended = await runTasks(
        app,
        orders.map(list).join("") +
          `- {id: two, type: ${TYPE}.${protocol}.Downloads, ${connection}, from: "${remote}", sort: DATE, maxFiles: 2, interval: PT1M, regExp: .*csv}\n`,
      );
      assertEquals([ended.state, ended.errors], ["SUCCESS", []]);
      const namesOf = (id: string) =>
        (ended.outputs[id]?.files as JsonObject[]).map(({ name }) => String(name).slice(0, 1)).join("");
      assertEquals(
        orders.map((sort, index) => [sort, namesOf(`l${index}`)]),
        [
          ["PATH", "abc"],
          ["NAME_DESC", "cba"],
          ["SIZE", "acb"],
          ["SIZE DESC", "bac"],
          ["UPDATED_DATE", "bca"],
          ["LAST_MODIFIED:DESC", "acb"],
        ],
      );
      assertEquals(namesOf("two"), "bc");
    });
  });
}

Deno.test(
  { name: "a trigger of fs takes the newest files first where sort says so", ignore },
  async () => {
    await withServer("sftp", async (connection, { remote, local }) => {
      for (const [index, name] of ["a.csv", "b.csv"].entries()) {
        await Deno.writeTextFile(`${local}/${name}`, "x");
        await Deno.utime(`${local}/${name}`, 1_700_000_000 + index, 1_700_000_000 + index);
      }
      await using app = await Harness.start();
      await app.save(`id: p
namespace: demo
triggers:
- {id: t, type: ${TYPE}.sftp.Trigger, interval: PT1M, ${connection}, from: "${remote}", regExp: ".*csv", sort: DATE_DESC, maxFiles: 1}
tasks:
- {id: l, type: io.kestra.plugin.core.log.Log, message: x}
`);
      await app.advance(1_000);
      await until(async () => evaluationsOf(await stateOf(app, "p")).length >= 1);
      const [execution] = await executionsOf(app, "p");
      const files = (execution?.trigger?.files ?? []) as JsonObject[];
      assertEquals(files.map(({ name }) => name), ["b.csv"]);
    });
  },
);

for (const protocol of ["sftp", "ftp", "ftps"] as const) {
  const name = `fs.${protocol}.Download writes no more of a file than a stored one may have`;
  Deno.test({ name, ignore }, async () => {
    await withServer(protocol, async (connection, { remote, local }) => {
      const properties = parseYaml(`{${connection}, from: "${remote}/file"}`) as JsonObject;
      const sizeOf = async (maxFileBytes: number) => {
        const { bytes } = await runDefinition(downloadTask(protocol), properties, { maxFileBytes });
        return [...bytes.values()][0]?.length;
      };
      for (const size of [0, 200_000]) {
        await Deno.writeFile(`${local}/file`, new Uint8Array(size));
        assertEquals(await sizeOf(200_000), size);
      }
      await assertRejects(() => sizeOf(199_999), Error, "it is larger than 199999 bytes");
    });
  });
}

Deno.test({ name: "Uploads leaves out files whose path does not match", ignore }, async () => {
  await withServer("sftp", async (connection, { remote, local }) => {
    await using app = await Harness.start();
    const ended = await runTasks(
      app,
      `- {id: file, type: io.kestra.plugin.core.storage.Write, content: "one"}
- {id: up, type: ${TYPE}.sftp.Uploads, ${connection}, from: {a.csv: "{{ outputs.file.uri }}", b.txt: "{{ outputs.file.uri }}"}, to: "${remote}/in", regExp: ".*/in/.*[.]csv"}
`,
    );
    assertEquals([ended.state, ended.outputs.up?.files], ["SUCCESS", [`${remote}/in/a.csv`]]);
    assertEquals([...Deno.readDirSync(`${local}/in`)].map(({ name }) => name), ["a.csv"]);
  });
});

Deno.test("an order that sort does not know is refused", async () => {
  await using app = await Harness.start();
  const save = () =>
    app.save(
      `id: p\nnamespace: demo\ntasks:\n- {id: l, type: ${TYPE}.sftp.List, host: h, from: /, sort: SIZES}\n`,
    );
  assertMatch((await assertRejects(save, Error)).message, /tasks\[l\]\.sort: /);
  const rendered = () => sortedFiles([], { sort: "SIZES" }, { dateOf: () => Promise.resolve("") });
  assertMatch((await assertRejects(rendered, Error)).message, /^Invalid sort: "SIZES" must be PATH, NAME, /);
});

Deno.test({ name: "Command runs commands, logs their output and sets vars", ignore }, async () => {
  await withSshServer(async ({ port, privateKey, fingerprint }) => {
    await using app = await Harness.start();
    const ended = await runTasks(
      app,
      `- id: c
  type: ${TYPE}.ssh.Command
  host: localhost
  port: ${port}
  username: root
  authMethod: PUBLIC_KEY
  privateKey: ${JSON.stringify(privateKey)}
  strictHostKeyChecking: "yes"
  hostKeyFingerprint: "${fingerprint}"
  env: {NAME: "it's"}
  commands:
    - echo "$NAME"
    - echo wrong >&2
    - echo '::{"outputs":{"a":[1]}}::'
`,
    );
    assertEquals([ended.state, ended.errors], ["SUCCESS", []]);
    assertEquals(ended.logs.filter((line) => ["it's", "wrong"].includes(line)).sort(), ["it's", "wrong"]);
    const { exitCode, stdOutLineCount, stdErrLineCount, vars } = ended.outputs.c ?? {};
    assertEquals([exitCode, stdOutLineCount, stdErrLineCount, vars], [0, 2, 1, { a: [1] }]);
  });
});

Deno.test({ name: "Command connects by the input and output of proxyCommand", ignore }, async () => {
  await withSshServer(async ({ port, privateKey, fingerprint }) => {
    await using app = await Harness.start();
    const command = (id: string, proxy: string, commands: string) =>
      `- id: ${id}
  type: ${TYPE}.ssh.Command
  allowFailure: true
  host: not-a-host.invalid
  port: ${port}
  username: root
  authMethod: PUBLIC_KEY
  privateKey: ${JSON.stringify(privateKey)}
  hostKeyFingerprint: "${fingerprint}"
  proxyCommand: ${JSON.stringify(proxy)}
  commands: [${JSON.stringify(commands)}]
`;
    const script = "exec 3<>/dev/tcp/127.0.0.1/$0; cat <&3 & cat >&3; kill $!";
    const ended = await runTasks(
      app,
      command("lines", `bash -c '${script}' %p`, "seq 1 200000 | tail -n 1000; echo last") +
        command("broken", "echo %h %r 100%% >&2; exit 3", "true"),
    );
    const { exitCode, stdOutLineCount } = ended.outputs.lines ?? {};
    assertEquals([exitCode, stdOutLineCount, ended.logs.includes("last")], [0, 1001, true]);
    assertEquals(ended.errors.length, 1);
    assertMatch(
      ended.errors[0] ?? "",
      /^Cannot use "ssh:\/\/not-a-host\.invalid:\d+": .*exit code 3: not-a-host\.invalid root 100%$/,
    );
  });
});

Deno.test(
  { name: "the types of fs fail with host and words of the server, without credentials", ignore },
  async () => {
    await withSshServer(async ({ port, privateKey, folder }) => {
      await using app = await Harness.start();
      const key = `keyfile: ${JSON.stringify(privateKey)}`;
      const server = `host: localhost, port: ${port}, username: root`;
      const unused = freePort();
      const cases: readonly (readonly [task: string, error: RegExp])[] = [
        [
          `sftp.List, ${server}, password: hidden, from: /`,
          /^Cannot use "sftp:\/\/localhost:\d+": All configured/,
        ],
        [
          `sftp.List, ${server}, ${key}, from: ${folder}/none`,
          /^Cannot use "sftp:.*": there is no file or folder/,
        ],
        [
          `sftp.Download, ${server}, ${key}, from: ${folder}/none`,
          /^Cannot use "sftp:.*none": No such file$/,
        ],
        [
          `sftp.List, ${server}, ${key}, from: /, hostKeyFingerprint: "SHA256:AAAA"`,
          /^Cannot use "sftp:\/\/localhost:\d+": .*[Hh]ost.*denied/,
        ],
        [`sftp.List, host: localhost, port: ${unused}, from: /`, /localhost/],
        [
          `ssh.Command, ${server}, authMethod: PUBLIC_KEY, privateKey: ${
            JSON.stringify(privateKey)
          }, commands: [exit 3]`,
          /^Command failed with exit code 3$/,
        ],
        [
          `ssh.Command, ${server}, strictHostKeyChecking: "yes", commands: [a]`,
          /^Missing hostKeyFingerprint: strictHostKeyChecking is yes$/,
        ],
        [`sftp.Move, ${server}, ${key}, from: "a\\nb", to: c`, /^Cannot use .*: Invalid path "a\\nb"$/],
      ];
      for (const [task, error] of cases) {
        const { errors, state } = await runTasks(app, `- {id: t, type: ${TYPE}.${task}}\n`);
        assertEquals([task, state], [task, "FAILED"]);
        assertMatch(errors[0] ?? "", error);
        assertEquals(errors.join().includes("hidden"), false);
      }
    });
  },
);

/** OpenSSH passes signals on to commands of users other than `root`; PostgreSQL has one with a shell. */
const USER = "postgres";
const hasUser = !ignore && /^postgres:.*\/bash$/m.test(Deno.readTextFileSync("/etc/passwd"));

/** User, what the commands do, and whether they end, too. */
const STOPPED: readonly (readonly [user: string, command: string, ends: boolean])[] = [
  ["root", "exec sleep 600", false],
  [USER, "sleep 600", true],
  [USER, "trap '' TERM; sleep 600", true],
];

for (const [username, command, ends] of STOPPED) {
  const name = `a kill ends a task of SSH${ends ? ", and the commands" : ""}: ${username}, ${command}`;
  Deno.test({ name, ignore: ends ? !hasUser : ignore }, async () => {
    await withSshServer(async ({ port, privateKey, folder }) => {
      await using app = await Harness.start();
      await app.save(`id: k
namespace: demo
tasks:
- {id: t, type: ${TYPE}.ssh.Command, host: localhost, port: ${port}, username: ${username}, authMethod: PUBLIC_KEY,
   privateKey: ${JSON.stringify(privateKey)}, commands: ["echo $$ > ${folder}/pid", "${command}"]}
`);
      const { id } = await app.start("k");
      const pid = () => Deno.readTextFile(`${folder}/pid`).catch(() => "");
      await until(async () => (await pid()).endsWith("\n"));
      await (await app.request("DELETE", `/executions/${id}/kill`)).body?.cancel();
      await until(async () => (await app.execution(id)).state.current === "KILLED");
      const process = Number(await pid());
      if (ends) await until(() => hasEnded(process));
      else Deno.kill(process);
    });
  });
}
