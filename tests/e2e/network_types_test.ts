/**
 * Types that open connections themselves, in a server as a user starts it: one flow each against the programs of this machine, and
 * against brokers of the tests. Steps whose program is not installed are ignored.
 */
import { assertEquals } from "@std/assert";
import { type JsonObject, stringifyJson } from "../../src/base/json.ts";
import { ServerProcess } from "../support/processes/server_process.ts";
import { AMQP_PASSWORD, AMQP_USER, AmqpBroker } from "../support/servers/amqp_broker.ts";
import {
  hasMosquitto,
  hasNats,
  hasRedis,
  NATS_PASSWORD,
  NATS_USER,
  startMosquitto,
  startNats,
  startRedis,
} from "../support/servers/brokers.ts";
import { DATABASE_PASSWORD, startMariadb, startPostgresql } from "../support/servers/database_programs.ts";
import { hasDirectoryServer, withDirectoryServer } from "../support/servers/directory_server.ts";
import { hasFileServers, withFtpServer, withSshServer } from "../support/servers/file_servers.ts";
import {
  GIT_TOKEN,
  GIT_USER,
  hasGit,
  withBareRepository,
  withGitServer,
} from "../support/servers/git_server.ts";
import { KafkaBroker } from "../support/servers/kafka_broker.ts";
import { MAIL_PASSWORD, MAIL_USER, withMailServer } from "../support/servers/mail_server.ts";
import { HAS_DOVECOT, MAILBOX_PASSWORD, withMailboxServer } from "../support/servers/mailbox_server.ts";
import { MongoServer } from "../support/servers/mongo_server.ts";
import { until } from "../support/processes/machine_processes.ts";
import { withTempDir } from "../support/temp_dir.ts";

/** Outputs of the tasks of an execution, by their ids. */
type Outputs = Readonly<Record<string, JsonObject>>;

interface Ended {
  readonly id: string;
  readonly state: { readonly current: string };
  readonly taskRunList: readonly { readonly taskId: string; readonly outputs?: JsonObject }[];
}

/** A server with flows of the namespace `demo`. */
class Flows {
  readonly server: ServerProcess;

  constructor(server: ServerProcess) {
    this.server = server;
  }

  async save(id: string, flow: JsonObject): Promise<void> {
    const body = stringifyJson({ id, namespace: "demo", ...flow });
    await this.server.json("POST", "/flows", { body, headers: { "content-type": "application/x-yaml" } });
  }

  /** Runs tasks, their types without the prefix of all; `common` are properties of each but those of `core`. */
  async run(id: string, common: JsonObject, tasks: Readonly<Record<string, JsonObject>>): Promise<Outputs> {
    const list = Object.entries(tasks).map(([taskId, { type, ...rest }]): JsonObject => ({
      id: taskId,
      type: `io.kestra.plugin.${type}`,
      ...String(type).startsWith("core.") ? {} : common,
      ...rest,
    }));
    await this.save(id, { tasks: list });
    const { state, taskRunList, id: executionId } = await this.server.json<Ended>(
      "POST",
      `/executions/demo/${id}?wait=true`,
    );
    const logs = await this.server.json<JsonObject[]>("GET", `/logs/${executionId}?minLevel=ERROR`);
    assertEquals([state.current, logs.map(({ message }) => message ?? null)], ["SUCCESS", []]);
    return Object.fromEntries(taskRunList.map(({ taskId, outputs = {} }) => [taskId, outputs]));
  }
}

/** A task that shows the text of a file. */
function shown(output: string): JsonObject {
  return { type: "core.debug.Return", format: `{{ read(outputs.${output}) }}` };
}

interface Step {
  readonly name: string;
  readonly isInstalled?: boolean;
  readonly run: (flows: Flows) => Promise<void>;
}

function databaseStep(kind: string, url: string, start: typeof startPostgresql): Step {
  return {
    name: `jdbc.${kind}`,
    async run(flows) {
      await using database = await start();
      if (!database) return;
      const connection = {
        url: url.replace("PORT", String(database.port)),
        username: "app",
        password: DATABASE_PASSWORD,
      };
      const { query } = await flows.run(kind, connection, {
        query: { type: `jdbc.${kind}.Query`, sql: "SELECT 1 AS a, 'x' AS b", fetchType: "FETCH" },
      });
      assertEquals(query?.rows, [{ a: 1, b: "x" }]);
    },
  };
}

const STEPS: readonly Step[] = [
  databaseStep("postgresql", "jdbc:postgresql://127.0.0.1:PORT/postgres?sslmode=require", startPostgresql),
  databaseStep("mariadb", "jdbc:mariadb://127.0.0.1:PORT/shop", startMariadb),
  {
    name: "redis",
    isInstalled: hasRedis(),
    async run(flows) {
      await using redis = await startRedis();
      const { get, pop } = await flows.run("redis", { url: redis.url }, {
        set: { type: "redis.string.Set", key: "a", value: { n: 1 }, serdeType: "JSON" },
        get: { type: "redis.string.Get", key: "a", serdeType: "JSON" },
        push: { type: "redis.list.ListPush", key: "l", from: ["x", "y"] },
        pop: { type: "redis.list.ListPop", key: "l", maxRecords: 2 },
      });
      assertEquals([get?.data, pop?.count], [{ n: 1 }, 2]);
    },
  },
  {
    name: "ldap",
    isInstalled: hasDirectoryServer(),
    async run(flows) {
      await withDirectoryServer(async ({ port, userDn, password }) => {
        const dn = "dc=example,dc=com";
        const content =
          `dn: ${dn}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: Example\n\n`;
        const { text } = await flows.run("ldap", { hostname: "127.0.0.1", port, userDn, password }, {
          write: { type: "core.storage.Write", content, extension: ".ldif" },
          add: { type: "ldap.Add", inputs: ["{{ outputs.write.uri }}"] },
          search: { type: "ldap.Search", baseDn: dn, attributes: ["o"] },
          text: shown("search.uri"),
        });
        assertEquals(String(text?.value).includes("o: Example"), true);
      });
    },
  },
  {
    name: "fs.ssh and fs.sftp",
    isInstalled: hasFileServers(),
    async run(flows) {
      await withSshServer(async ({ port, privateKey, folder }) => {
        const connection = { host: "localhost", port, username: "root" };
        const { command, text } = await flows.run("ssh", connection, {
          command: { type: "fs.ssh.Command", authMethod: "PUBLIC_KEY", privateKey, commands: ["echo hi"] },
          write: { type: "core.storage.Write", content: "one" },
          up: {
            type: "fs.sftp.Upload",
            keyfile: privateKey,
            from: "{{ outputs.write.uri }}",
            to: `${folder}/a`,
          },
          down: { type: "fs.sftp.Download", keyfile: privateKey, from: `${folder}/a` },
          text: shown("down.uri"),
        });
        assertEquals([command?.exitCode, text?.value], [0, "one"]);
      });
    },
  },
  {
    name: "fs.ftps",
    isInstalled: hasFileServers(),
    async run(flows) {
      await withFtpServer(async ({ port }) => {
        const connection = { host: "localhost", port, username: "anonymous", password: "x" };
        const { text } = await flows.run("ftps", { ...connection, insecureTrustAllCertificates: true }, {
          write: { type: "core.storage.Write", content: "two" },
          up: { type: "fs.ftps.Upload", from: "{{ outputs.write.uri }}", to: "/files/b" },
          down: { type: "fs.ftps.Download", from: "/files/b" },
          text: shown("down.uri"),
        });
        assertEquals(text?.value, "two");
      });
    },
  },
  {
    name: "mqtt",
    isInstalled: hasMosquitto(),
    async run(flows) {
      await using broker = await startMosquitto();
      const { subscribe } = await flows.run("mqtt", { server: `tcp://localhost:${broker.port}` }, {
        publish: { type: "mqtt.Publish", topic: "t", from: { n: 1 }, retain: true },
        subscribe: { type: "mqtt.Subscribe", clientId: "c", topic: "t", maxRecords: 1 },
      });
      assertEquals(subscribe?.messagesCount, 1);
    },
  },
  {
    name: "nats",
    isInstalled: hasNats(),
    async run(flows) {
      await using server = await startNats();
      const url = `nats://127.0.0.1:${server.port}`;
      const { get } = await flows.run("nats", { url, username: NATS_USER, password: NATS_PASSWORD }, {
        create: { type: "nats.kv.CreateBucket", name: "prices" },
        put: { type: "nats.kv.Put", bucketName: "prices", values: { apple: 3 } },
        get: { type: "nats.kv.Get", bucketName: "prices", keys: ["apple"] },
      });
      assertEquals(get?.output, { apple: 3 });
    },
  },
  {
    name: "git",
    isInstalled: await hasGit(),
    async run(flows) {
      await withGitServer({ "README.md": "hello" }, async ({ url }) => {
        const clone = { id: "clone", type: "io.kestra.plugin.git.Clone", url, username: GIT_USER };
        const { files } = await flows.run("git", {}, {
          files: {
            type: "core.flow.WorkingDirectory",
            outputFiles: ["**/README.md"],
            tasks: [{ ...clone, password: GIT_TOKEN, directory: "code" }],
          },
        });
        assertEquals(Object.keys(files?.outputFiles as JsonObject), ["code/README.md"]);
      });
    },
  },
  {
    name: "git by SSH",
    isInstalled: hasFileServers() && await hasGit(),
    async run(flows) {
      await withBareRepository(
        { "README.md": "hello" },
        ({ path, git }) =>
          withSshServer(async ({ port, privateKey, fingerprint }) => {
            const url = `ssh://root@localhost:${port}${path}`;
            await flows.run("git-ssh", { url, privateKey, hostKeyFingerprint: fingerprint, branch: "main" }, {
              push: { type: "git.PushFlows", sourceNamespace: "demo", flows: "git-ssh" },
              read: { type: "git.SyncFlow", targetNamespace: "team", flowPath: "_flows/git-ssh.yml" },
            });
            assertEquals(await git("ls-tree", "-r", "--name-only", "main"), "README.md\n_flows/git-ssh.yml");
          }),
      );
    },
  },
  {
    name: "mail by SMTP",
    run: (flows) =>
      withMailServer({ isSecure: true }, async (port, mails) => {
        const server = { host: "localhost", port, username: MAIL_USER, password: MAIL_PASSWORD };
        const mail = { from: "a@example.com", to: "b@example.com", subject: "x", plainTextContent: "x" };
        await flows.run("smtp", { ...server, trustedHosts: ["localhost"] }, {
          send: { type: "notifications.mail.MailSend", ...mail },
        });
        assertEquals(mails.map(({ recipients }) => recipients), [["b@example.com"]]);
      }),
  },
  {
    name: "mail by IMAP",
    isInstalled: HAS_DOVECOT,
    async run(flows) {
      await withMailboxServer(async ({ imapPort, deliver }) => {
        const connection = { protocol: "IMAP", host: "localhost", port: imapPort, ssl: false };
        const type = "io.kestra.plugin.notifications.mail.MailReceivedTrigger";
        const login = { username: "flows", password: MAILBOX_PASSWORD, interval: "PT1S" };
        await flows.save("imap", {
          tasks: [{
            id: "show",
            type: "io.kestra.plugin.core.debug.Return",
            format: "{{ trigger.latestEmail.subject }}",
          }],
          triggers: [{ id: "watch", type, ...connection, ...login }],
        });
        await deliver(
          "1",
          `From: a@example.com\nSubject: Order\nDate: ${new Date(Date.now() + 60_000).toUTCString()}\n\nx\n`,
        );
        let started: Ended | undefined;
        await until(async () => {
          const path = "/executions/search?flowId=imap&state=SUCCESS";
          const { results } = await flows.server.json<{ results: readonly Ended[] }>("GET", path);
          started = results[0];
          return started !== undefined;
        });
        const { taskRunList } = await flows.server.json<Ended>("GET", `/executions/${started?.id}`);
        assertEquals(taskRunList[0]?.outputs?.value, "Order");
      });
    },
  },
  {
    name: "kafka",
    async run(flows) {
      await using broker = new KafkaBroker();
      const properties = { "bootstrap.servers": broker.servers, "auto.offset.reset": "earliest" };
      const { consume } = await flows.run("kafka", { properties, topic: "orders" }, {
        produce: { type: "kafka.Produce", from: [{ key: "a", value: "1" }, { key: "b", value: "2" }] },
        consume: { type: "kafka.Consume", groupId: "g", maxRecords: 2 },
      });
      assertEquals(consume?.messagesCount, 2);
    },
  },
  {
    name: "amqp",
    async run(flows) {
      await using broker = new AmqpBroker();
      const url = `amqp://${AMQP_USER}:${AMQP_PASSWORD}@127.0.0.1:${broker.port}`;
      const { consume } = await flows.run("amqp", { url }, {
        create: { type: "amqp.CreateQueue", name: "q" },
        exchange: { type: "amqp.DeclareExchange", name: "e" },
        bind: { type: "amqp.QueueBind", exchange: "e", queue: "q", routingKey: "k" },
        publish: { type: "amqp.Publish", exchange: "e", routingKey: "k", from: [{ data: "x" }] },
        consume: { type: "amqp.Consume", queue: "q", maxRecords: 1 },
      });
      assertEquals(consume?.count, 1);
    },
  },
  {
    name: "mongodb",
    async run(flows) {
      await using server = new MongoServer();
      const place = { connection: { uri: server.uri() }, database: "shop", collection: "orders" };
      const { find } = await flows.run("mongodb", place, {
        insert: { type: "mongodb.InsertOne", document: { n: 1 } },
        find: { type: "mongodb.Find", store: false },
      });
      assertEquals((find?.rows as JsonObject[]).map(({ n }) => n), [1]);
    },
  },
];

Deno.test("types of the network run in a server as a user starts it", async (test) => {
  await withTempDir(async (dataDir) => {
    await using server = await ServerProcess.start({ dataDir });
    const flows = new Flows(server);
    for (const { name, isInstalled = true, run } of STEPS) {
      await test.step({ name, ignore: !isInstalled, fn: () => run(flows) });
    }
  });
});
