/** Users, tokens, the audit log, backups and renames where several servers share a database. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { denokvTest } from "../support/servers/denokv.ts";
import { withTempDir } from "../support/temp_dir.ts";
import { Cluster, type Member, pause } from "./cluster.ts";

const ADMIN = "admin:correct:horse";
const AS_ADMIN = { authorization: basic(ADMIN) };
const OLD = "eva:first:password";
const NEW = "eva:second:password";
const FLOWS = 60;
/** Longest time of a take-over, and of what follows it, on a busy machine. */
const TIMEOUT_MS = 120_000;
const POLL_MS = 100;
const SERVERS = {
  servers: 3,
  // A leader that gets no processor for that time loses its lease, and refuses what is asked once.
  leaseTtl: "12s",
  args: ["--basic-auth", ADMIN],
  authorization: AS_ADMIN.authorization,
};

const WAYS = [["that reach each other", false], ["without addresses", true]] as const;

function basic(credentials: string): string {
  return `Basic ${btoa(credentials)}`;
}

/** A request below `/api/v1`; its response was read. */
async function send(
  { url }: Pick<Member, "url">,
  request: string,
  { headers = AS_ADMIN, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const [method, path] = request.split(" ");
  const isText = typeof body === "string";
  const type = isText ? "application/x-yaml" : "application/json";
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { ...headers, ...body !== undefined && { "content-type": type } },
    body: body === undefined ? undefined : isText ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : {} };
}

/** Sends a request that may be repeated until it succeeds. */
async function insist(member: Pick<Member, "url">, request: string, init?: Parameters<typeof send>[2]) {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const response = await send(member, request, init).catch(() => undefined);
    if (response && response.status < 300) return response;
    assert(performance.now() < deadline, `${request}: ${response?.status} ${JSON.stringify(response?.body)}`);
    await pause(POLL_MS);
  }
}

const statusesOf = async (
  members: readonly Member[],
  headers: Record<string, string>,
  request: string,
  body?: unknown,
) =>
  await Promise.all(members.map(async (member) => (await send(member, request, { headers, body })).status));

for (const [name, hasNoAddresses] of WAYS) {
  denokvTest(
    `a change of a user at one of the servers ${name} holds at all at once, and after a take-over`,
    () =>
      withTempDir(async (folder) => {
        await using cluster = await Cluster.start({ folder, hasNoAddresses, ...SERVERS });
        const leader = await cluster.leader();
        const { members } = cluster;
        const [first, second] = members.filter((member) => member !== leader);
        assert(first && second);
        const eva = { username: "eva", password: OLD.slice(4), role: "editor" };
        assertEquals((await send(first, "POST /users", { body: eva })).status, 201);
        const { body: made } = await send(second, "POST /users/eva/api-tokens", { body: { name: "t" } });
        const token = { authorization: `Bearer ${made["fullToken"]}` };
        const entered = await send(first, "POST /login", {
          headers: {},
          body: { username: "eva", password: OLD.slice(4) },
        });
        const cookie = entered.headers.getSetCookie().map((each) => each.split(";")[0]).join("; ");
        const [password, session] = [{ authorization: basic(OLD) }, { cookie }];
        const read = "GET /main/flows/search";
        for (const each of [password, session, token]) {
          assertEquals(await statusesOf(members, each, read), [200, 200, 200]);
        }

        assertEquals(
          (await send(first, "PATCH /users/eva/password", { body: { password: NEW.slice(4) } })).status,
          200,
        );
        for (const each of [password, session]) {
          assertEquals(await statusesOf(members, each, read), [401, 401, 401]);
        }
        assertEquals(await statusesOf(members, { authorization: basic(NEW) }, read), [200, 200, 200]);

        const { body: paused } = await send(first, "POST /main/flows", { body: PAUSED });
        const { body: started } = await send(
          first,
          `POST /main/executions/${paused["namespace"]}/${paused["id"]}`,
        );
        const streams = await Promise.all(
          members.map(({ url }) => follow(url, String(started["id"]), token)),
        );
        assertEquals((await send(second, "PATCH /users/eva", { body: { role: "viewer" } })).status, 200);
        for (const { ended } of streams) assertStringIncludes(await ended, "PAUSED");
        const put = "PUT /main/namespaces/demo/kv/k";
        const roles = async () => [
          await statusesOf(cluster.up, token, put, "v"),
          await statusesOf(cluster.up, { authorization: basic(NEW) }, put, "v"),
        ];
        assertEquals(await roles(), [[403, 403, 403], [403, 403, 403]]);
        assertEquals((await send(first, "POST /backups")).status, 409);

        await leader.end("SIGKILL");
        await insist(first, read);
        assertEquals(await roles(), [[403, 403], [403, 403]]);
        assertEquals(await statusesOf(cluster.up, password, read), [401, 401]);
        const { body } = await insist(second, "GET /main/auditlogs/search?size=100");
        const records = (body["results"] as { auditLog: Record<string, unknown> }[]).map(({ auditLog }) =>
          auditLog
        );
        const changes = records.filter(({ detail }) =>
          (detail as Record<string, unknown>)["status"] as number < 300
        );
        const operations = changes.map(({ detail }) =>
          String((detail as Record<string, unknown>)["operation"])
        );
        assertEquals(
          operations.filter((each) => each.includes("User")).length,
          4,
          operations.join(" "),
        );
        assertEquals([...new Set(records.map(({ ipAddress }) => ipAddress))], ["127.0.0.1"]);
      }),
  );

  denokvTest(
    `a rename at one of the servers ${name} is complete although the leader is killed meanwhile`,
    () =>
      withTempDir(async (folder) => {
        await using cluster = await Cluster.start({ folder, hasNoAddresses, ...SERVERS });
        const leader = await cluster.leader();
        const [first] = cluster.members.filter((member) => member !== leader);
        assert(first);
        const sources = Array.from({ length: FLOWS }, (_, n) => flowOf(n)).join("---\n");
        assertEquals(
          (await send(first, "POST /main/flows/bulk?delete=false", { body: sources })).status,
          200,
        );
        const before: string[] = [];
        for (let n = 0; n < FLOWS; n++) {
          const body = { n, text: "x".repeat(20_000) };
          before.push(JSON.stringify(body));
          assertEquals((await send(first, `PUT /main/namespaces/old/kv/k${n}`, { body })).status, 200);
        }
        await send(first, "PUT /main/namespaces/old/secrets", { body: { key: "S", value: "hidden" } });

        const renaming = send(first, "POST /main/namespaces/old/rename", { body: { id: "new" } }).catch(() =>
          undefined
        );
        await frozen(leader);
        await leader.end("SIGKILL");
        const outcome = await renaming;
        const found = await finished(first);
        assert(outcome?.status !== 200 || found === "new", "an acknowledged rename is lost");
        const other = found === "new" ? "old" : "new";
        const pairs = await Promise.all(before.map(async (_, n) =>
          JSON.stringify((await insist(first, `GET /main/namespaces/${found}/kv/k${n}`)).body["value"])
        ));
        assertEquals(pairs, before);
        assertEquals(JSON.stringify((await insist(first, `GET /main/namespaces/${other}/kv`)).body), "[]");
        const flows = await insist(first, `GET /main/flows/search?size=1&namespace=${found}`);
        assertEquals(flows.body["total"], FLOWS);
        const none = await insist(first, `GET /main/flows/search?size=1&namespace=${other}`);
        assertEquals(none.body["total"], 0);
        const started = await insist(first, `POST /main/executions/${found}/f7?wait=true`);
        assertEquals((started.body["state"] as { current: string }).current, "SUCCESS");
      }),
  );
}

const PAUSED = "id: paused\nnamespace: demo\ntasks:\n  - {id: p, type: io.svc.plugin.core.flow.Pause}\n";

/** An open stream of an execution, once it has begun; `ended` is all that arrives until its end. */
async function follow(
  url: string,
  id: string,
  headers: Record<string, string>,
): Promise<{ ended: Promise<string> }> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(`${url}/api/v1/main/executions/${id}/follow`, { headers, signal });
  assertEquals(response.status, 200);
  return { ended: response.text() };
}

function flowOf(n: number): string {
  return `id: f${n}
namespace: old
tasks:
  - {id: a, type: io.svc.plugin.core.debug.Return, format: "{{ secret('S') }} {{ kv('k${n}').n }}"}
`;
}

/** Waits until the rename has begun. */
async function frozen(leader: Member): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    const { status } = await send(leader, "PUT /main/namespaces/old/kv/probe", { body: 1 });
    if (status !== 200) return;
    await send(leader, "DELETE /main/namespaces/old/kv/probe");
  }
  throw new Error("The rename began and ended between two looks");
}

/** The namespace that holds everything once no rename is under way. */
async function finished(member: Member): Promise<string> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    for (const name of ["old", "new"]) {
      const put = await send(member, `PUT /main/namespaces/${name}/kv/probe`, { body: 1 }).catch(() =>
        undefined
      );
      if (put?.status !== 200) continue;
      await insist(member, `DELETE /main/namespaces/${name}/kv/probe`);
      const { body } = await insist(member, `GET /main/flows/search?size=1&namespace=new`);
      return Number(body["total"]) > 0 ? "new" : "old";
    }
    assert(performance.now() < deadline, "the rename does not end");
    await pause(POLL_MS);
  }
}
