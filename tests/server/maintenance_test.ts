/** What a running server does by itself for its backups and its audit log. */
import { assertEquals } from "@std/assert";
import type { BackupOrigin, StoredBackup } from "../../src/model/backup.ts";
import type { BackupPort } from "../../src/model/ports/backups.ts";
import { json } from "../support/flows/request_bodies.ts";
import { Harness } from "../support/harness.ts";

/** Backups that are made at once. */
function instantBackups(stored: StoredBackup[]): BackupPort {
  return {
    idOf: (createdAt) => `b${createdAt}`,
    check: () => Promise.resolve(1),
    create({ createdAt, origin }) {
      const made = { id: `b${createdAt}`, createdAt, origin, bytes: 1, hasKey: false, version: "1" };
      stored.unshift(made);
      return Promise.resolve(made);
    },
    list: () => Promise.resolve([...stored]),
    find: (id) => Promise.resolve(stored.find((each) => each.id === id)),
    open: () => Promise.resolve(undefined),
    remove(id) {
      const at = stored.findIndex((each) => each.id === id);
      if (at !== -1) stored.splice(at, 1);
      return Promise.resolve(at !== -1);
    },
    removeUnfinished: () => Promise.reject(new Error("the folder cannot be read")),
  };
}

Deno.test("--backup-every makes backups of a running server and keeps --backup-keep of them", async () => {
  const stored: StoredBackup[] = [];
  const schedule = { everyMs: 2 * 60_000, keep: 2 };
  await using app = await Harness.start({ backups: instantBackups(stored), backupSchedule: schedule });
  await app.advance(61_000);
  assertEquals(stored.map(({ origin }): BackupOrigin => origin), ["SCHEDULE"]);
  await app.advance(600_000);
  assertEquals(stored.length, 2);
});

Deno.test("--audit-retention removes old records", async () => {
  await using app = await Harness.start({ auditAgeMs: 3 * 60_000 });
  const count = async () => (await app.page("/auditlogs/search")).results.length;
  await app.request("PUT", "/namespaces/demo/kv/color", json("blue"));
  assertEquals(await count(), 1);
  await app.advance(120_000);
  assertEquals(await count(), 1);
  await app.advance(180_000);
  assertEquals(await count(), 0);
});
