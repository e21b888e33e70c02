import { assertEquals, assertRejects } from "@std/assert";
import { IdSource, systemRandomBytes } from "../../src/base/id.ts";
import { WorkDirectories } from "../../src/machine/scripts/work_directories.ts";
import { DomainError } from "../../src/model/errors.ts";
import type { FileKeeper } from "../../src/model/executions/attempt_identity.ts";
import type { LeasedAttempt } from "../../src/model/http/worker_protocol.ts";
import type { ServerApi } from "../../src/worker/server_api.ts";
import { WorkerStorage } from "../../src/worker/worker_storage.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";

/** A storage of files of at most ten bytes. */
function storageIn(directories: WorkDirectories): WorkerStorage {
  const { signal } = new AbortController();
  return new WorkerStorage({
    api: {} as ServerApi,
    attempt: { lease: "l", folder: "kestra:///demo/", maxFileBytes: 10 } as LeasedAttempt,
    signal,
    abandoned: signal,
    directories,
    clock: new FakeClock(),
    ids: new IdSource(systemRandomBytes),
  });
}

Deno.test("WorkerStorage.write() takes no more bytes than the server does", async () => {
  await using directories = new WorkDirectories(undefined);
  await using storage = storageIn(directories);
  const write = (text: string) =>
    storage.write({} as FileKeeper, "a.txt", ReadableStream.from([new TextEncoder().encode(text)]));
  assertEquals((await write("0123456789")).size, 10);
  await assertRejects(() => write("01234567890"), DomainError, "it is larger than 10 bytes");
});

// Deno fails a test that leaves a file open.
Deno.test("WorkerStorage.open() gives a part of a written file, and leaves no file open when it is not read", async () => {
  await using directories = new WorkDirectories(undefined);
  await using storage = storageIn(directories);
  const keeper = {} as FileKeeper;
  const content = ReadableStream.from([new TextEncoder().encode("0123456789")]);
  const { uri } = await storage.write(keeper, "a.txt", content);
  const part = { offset: 3, length: 4 };
  const read = await storage.open(keeper, uri, part);
  assertEquals([read?.size, await new Response(read?.content).text()], [4, "3456"]);
  const unread = await storage.open(keeper, uri, part);
  await unread?.content.cancel();
});
