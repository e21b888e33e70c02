import { assert, assertEquals } from "@std/assert";
import { IdSource } from "../../../src/base/id.ts";
import type { AuditEvent, AuditFilter } from "../../../src/model/audit.ts";
import { AuditLog } from "../../../src/services/audit/audit_log.ts";
import { AuditRecords } from "../../../src/store/records/audit_records.ts";
import { keysAfter } from "../../../src/store/keys.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import { quietCommitter } from "../../support/fakes/quiet_committer.ts";

const DAY_MS = 86_400_000;

async function withLog(
  use: (log: AuditLog, tools: { readonly clock: FakeClock; readonly store: MemoryStore }) => Promise<void>,
): Promise<void> {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  await using committer = quietCommitter(store, clock);
  await committer.start();
  const records = new AuditRecords(store, committer);
  await use(new AuditLog({ records, clock, ids: new IdSource(), auditAgeMs: 90 * DAY_MS }), { clock, store });
}

function event(at: number, overrides: Partial<AuditEvent> = {}): AuditEvent {
  return {
    at,
    type: "UPDATE",
    operation: "updateFlow",
    method: "PUT",
    status: 200,
    user: "anna",
    address: "192.0.2.1",
    tenant: "main",
    resources: [["namespace", "demo.team"], ["flowId", "hello"]],
    ...overrides,
  };
}

Deno.test("search() lists newest first, and continues after a place, also within one millisecond", async () => {
  await withLog(async (log, { clock }) => {
    const at = clock.now();
    for (let n = 0; n < 7; n++) await log.add(event(at + Math.floor(n / 3), { operation: `o${n}` }));
    const seen: string[] = [];
    let after: Awaited<ReturnType<AuditLog["search"]>>["next"];
    do {
      const page = await log.search({}, 2, after);
      seen.push(...page.results.map(({ operation }) => operation));
      after = page.next;
    } while (after);
    assertEquals(seen, ["o6", "o5", "o4", "o3", "o2", "o1", "o0"]);
  });
});

Deno.test("search() filters by each member, and by time", async () => {
  await withLog(async (log, { clock }) => {
    const at = clock.now();
    await log.add(event(at, { operation: "first", user: "bob" }));
    await log.add(event(at + 1000, { operation: "second", type: "LOGIN", tenant: undefined, resources: [] }));
    await log.add(
      event(at + 2000, { operation: "third", tenant: "acme", resources: [["executionId", "E1"]] }),
    );
    await log.add(
      event(at + 3000, { operation: "fourth", tokenId: "T", resources: [["namespace", "demo"]] }),
    );
    const filters: readonly (readonly [AuditFilter, readonly string[]])[] = [
      [{ user: "bob" }, ["first"]],
      [{ type: "LOGIN" }, ["second"]],
      [{ tenant: "acme" }, ["third"]],
      [{ operation: "fourth" }, ["fourth"]],
      [{ namespace: "demo" }, ["fourth", "first"]],
      [{ namespace: "dem" }, []],
      [{ resources: new Map([["executionId", "E1"]]) }, ["third"]],
      [{ text: "HELLO" }, ["first"]],
      [{ from: at + 1000, to: at + 3000 }, ["third", "second"]],
      [{ from: at + 3000, to: at }, []],
    ];
    for (const [filter, expected] of filters) {
      assertEquals((await log.search(filter, 10)).results.map(({ operation }) => operation), expected);
    }
    const pieces = await Array.fromAsync(log.all({ user: "anna" }));
    assertEquals(pieces.flat().map(({ operation }) => operation), ["fourth", "third", "second"]);
  });
});

Deno.test("add() keeps a record below 900 bytes, whatever the ids are", async () => {
  await withLog(async (log, { clock, store }) => {
    for (const text of ["x".repeat(5_000), "日本".repeat(500), "😀".repeat(500), '"\\'.repeat(500)]) {
      const resources = Array.from({ length: 6 }, (_, n) => [`name${n}`, text] as const);
      await log.add(event(clock.now(), { user: text, address: text, tokenId: "T".repeat(22), resources }));
    }
    await log.add(
      event(clock.now(), { resources: [["namespace", "n".repeat(150)], ["flowId", "f".repeat(100)]] }),
    );
    const entries = (await Array.fromAsync(store.list(keysAfter(undefined)))).filter(({ key }) =>
      key[0] === "audit"
    );
    assertEquals(entries.length, 5);
    for (const { value } of entries) assert(value.length < 900, `${value.length} bytes`);
    const [newest] = (await log.search({}, 1)).results;
    assertEquals(newest?.resources, [["namespace", "n".repeat(150)], ["flowId", "f".repeat(100)]]);
  });
});

Deno.test("sweepExpired() removes what is too old, some at a time", async () => {
  await withLog(async (log, { clock }) => {
    for (let n = 0; n < 250; n++) await log.add(event(clock.now()));
    await clock.advance(90 * DAY_MS);
    await log.add(event(clock.now(), { operation: "new" }));
    assertEquals(await log.sweepExpired(), 0);
    await clock.advance(1);
    assertEquals([await log.sweepExpired(), await log.sweepExpired(), await log.sweepExpired()], [
      200,
      50,
      0,
    ]);
    assertEquals((await log.search({}, 10)).results.map(({ operation }) => operation), ["new"]);
  });
});
