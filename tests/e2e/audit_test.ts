/** The audit log of a real server: an acknowledged change has its record, also when the server is killed right after. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";

interface Item {
  readonly auditLog: {
    readonly id: string;
    readonly date: string;
    readonly type: string;
    readonly tenantId?: string;
    readonly userId: string;
    readonly ipAddress: string;
    readonly detail: Readonly<Record<string, unknown>>;
  };
}

interface Page {
  readonly results: readonly Item[];
  readonly total: number;
  readonly cursor?: string;
}

const KILLS = 3;
const CHANGES = 15;

/** All records, newest first, by pages of ten. */
async function readAll(server: ServerProcess): Promise<Item["auditLog"][]> {
  const found: Item["auditLog"][] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const page: Page = await server.json("GET", `/auditlogs/search?size=10&cursor=${cursor}`);
    found.push(...page.results.map(({ auditLog }) => auditLog));
    cursor = page.cursor;
  }
  return found;
}

async function put(server: ServerProcess, key: string): Promise<void> {
  const url = `${server.url}/api/v1/main/namespaces/demo/kv/${key}`;
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "PUT", headers, body: '"secret-value"' });
  await response.body?.cancel();
  assertEquals(response.status, 200);
}

Deno.test("an acknowledged change has one record after a kill, and the doctor reads all records", async () => {
  await withTempDir(async (root) => {
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      await using server = await ServerProcess.start({ dataDir: root });
      for (let n = 0; n < CHANGES; n++) {
        const key = `k${kill}-${n}`;
        await put(server, key);
        acknowledged.unshift(key);
      }
      await server.kill("SIGKILL");
    }
    {
      await using server = await ServerProcess.start({ dataDir: root });
      const records = await readAll(server);
      assertEquals(records.map(({ detail }) => detail.key), acknowledged);
      const [newest] = records;
      assert(newest);
      assertEquals(newest, {
        id: newest.id,
        date: newest.date,
        type: "UPDATE",
        tenantId: "main",
        userId: "anonymous",
        ipAddress: "127.0.0.1",
        detail: {
          operation: "setKeyValue",
          method: "PUT",
          status: 200,
          namespace: "demo",
          key: acknowledged[0],
        },
      });
      assertEquals(new Set(records.map(({ id }) => id)).size, records.length);
      await server.kill("SIGTERM");
    }
    const { code, log } = await ServerProcess.run(["doctor", "--data-dir", root]);
    assertEquals(code, 0, log);
    assertMatch(log, new RegExp(`records of the audit log +${KILLS * CHANGES}\n`));
  });
});

Deno.test("the audit log is filtered, exported, and shown to nobody who is limited to tenants", async () => {
  await withTempDir(async (root) => {
    await using server = await ServerProcess.start({
      dataDir: root,
      args: ["--basic-auth", "anna:pass-word"],
    });
    const authorization = `Basic ${btoa("anna:pass-word")}`;
    const call = async (method: string, path: string, body?: object, as = authorization) => {
      const headers = { authorization: as, "content-type": "application/json" };
      const response = await fetch(`${server.url}/api/v1${path}`, {
        method,
        headers,
        body: body && JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    };
    assertEquals((await call("POST", "/tenants", { id: "acme" })).status, 200);
    assertEquals((await call("PUT", "/acme/namespaces/a.b/kv/color", {})).status, 200);
    const token =
      JSON.parse((await call("POST", "/me/api-tokens", { name: "t", tenants: ["acme"] })).text).fullToken;
    const limited = `Bearer ${token}`;
    for (const path of ["search", "export/by-query/csv", "export/by-query/json"]) {
      assertEquals((await call("GET", `/acme/auditlogs/${path}`, undefined, limited)).status, 403);
    }
    assertEquals((await call("GET", "/backups", undefined, limited)).status, 403);
    const operations = async (path: string) => {
      const { results }: Page = JSON.parse((await call("GET", path)).text);
      return results.map(({ auditLog }) => auditLog.detail.operation);
    };
    const refused = ["listBackups", "exportAuditLogsAsJson", "exportAuditLogs", "searchAuditLogs"];
    const made = ["createApiTokenForCurrentUser", "setKeyValue", "createTenant"];
    assertEquals(await operations("/auditlogs/search?size=20"), [...refused, ...made]);
    assertEquals(await operations("/acme/auditlogs/search"), [...refused.slice(1), "setKeyValue"]);
    assertEquals(await operations("/auditlogs/search?tenantId=acme&namespace=a"), ["setKeyValue"]);
    assertEquals(await operations("/auditlogs/search?q=CREATETENANT&userId=anna&type=CREATE"), [
      "createTenant",
    ]);
    assertEquals(await operations("/auditlogs/search?startDate=2999-01-01T00:00:00Z"), []);
    for (const query of ["type=x", "cursor=x", "startDate=x", "size=0"]) {
      assertEquals(
        [400, 422].includes((await call("GET", `/auditlogs/search?${query}`)).status),
        true,
        query,
      );
    }
    const csv = (await call("GET", "/auditlogs/export/by-query/csv?operation=setKeyValue")).text.split(
      "\r\n",
    );
    assertEquals(csv[0], "date,userId,tokenId,ipAddress,type,operation,method,status,tenantId,resources,id");
    assertStringIncludes(
      csv[1] ?? "",
      ",anna,,127.0.0.1,UPDATE,setKeyValue,PUT,200,acme,namespace=a.b key=color,",
    );
    const json: Item[] = JSON.parse((await call("GET", "/auditlogs/export/by-query/json")).text);
    assertEquals(json.length, 7);
    assertEquals(JSON.stringify(json).includes(token), false);
  });
});
