import { assert, assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import type { FileRecord } from "../../../src/services/files/files.ts";
import {
  ACTOR,
  collect,
  collectText,
  type NamespaceTestServices,
  patternBytes,
  sourceOf,
  startNamespaceServices,
  treeOf,
} from "../../support/flows/namespace_services.ts";

const NS = "team";

async function startWith(...paths: readonly string[]): Promise<NamespaceTestServices> {
  const services = await startNamespaceServices();
  for (const path of paths) {
    if (path.endsWith("/")) await services.files.createDirectory(ACTOR, NS, path);
    else await services.files.write(ACTOR, { namespace: NS, path }, sourceOf(`content of ${path}`));
  }
  return services;
}

function show({ path, content }: FileRecord): string {
  return content ? path : `${path}/`;
}

async function read({ files }: NamespaceTestServices, path: string): Promise<string> {
  return await collectText((await files.open(ACTOR, NS, path)).content);
}

Deno.test("write() creates parent directories, and open() returns the content", async () => {
  const services = await startWith("/a/b/c.txt", "top.txt");
  assertEquals(await treeOf(services, NS), ["a/", "a/b/", "a/b/c.txt", "top.txt"]);
  assertEquals(await read(services, "/a/b/c.txt"), "content of /a/b/c.txt");
});

Deno.test("write() and open() of 5 MB and of an empty file", async () => {
  const { files, inner } = await startNamespaceServices();
  const bytes = patternBytes(5_000_000);
  await files.write(
    ACTOR,
    { namespace: NS, path: "big" },
    sourceOf(bytes.subarray(0, 70_000), bytes.subarray(70_000)),
  );
  await files.write(ACTOR, { namespace: NS, path: "empty" }, sourceOf());
  assertEquals(await collect((await files.open(ACTOR, NS, "big")).content), bytes);
  assertEquals(await collect((await files.open(ACTOR, NS, "empty")).content), new Uint8Array());
  await files.delete(ACTOR, NS, "big");
  await files.delete(ACTOR, NS, "empty");
  assertEquals([inner.count(["main", "b"]), inner.count(["bi"]), inner.count(["main", "nf"])], [0, 0, 0]);
});

Deno.test("write() over a file without history keeps its creation time and removes the old content", async () => {
  const { files, clock, inner } = await startNamespaceServices({ fileRevisions: 1 });
  const createdAt = clock.now();
  await files.write(ACTOR, { namespace: NS, path: "f" }, sourceOf(patternBytes(500_000)));
  clock.jump(1_000);
  await files.write(ACTOR, { namespace: NS, path: "f" }, sourceOf("new"));
  const { content: _, ...record } = await files.stat(ACTOR, NS, "f");
  assertEquals(record, { path: "f", createdAt, modifiedAt: createdAt + 1_000, revision: 2 });
  assertEquals([inner.count(["main", "b"]), inner.count(["bi"])], [1, 0]);
});

for (const size of [1_000, 500_000]) {
  Deno.test(`open() reads the old content of a file of ${size} bytes that is replaced meanwhile`, async () => {
    const services = await startNamespaceServices({ fileRevisions: 1 });
    const { files, inner } = services;
    await files.write(ACTOR, { namespace: NS, path: "f" }, sourceOf(patternBytes(size)));
    const { content } = await files.open(ACTOR, NS, "f");
    await files.write(ACTOR, { namespace: NS, path: "f" }, sourceOf("new"));
    assertEquals(await collect(content), patternBytes(size));
    assertEquals(await read(services, "f"), "new");
    assertEquals([inner.count(["main", "b"]), inner.count(["bi"])], [1, 0]);
  });

  Deno.test(`write() of ${size} bytes that the store refuses leaves the old file`, async () => {
    const services = await startWith("f");
    const { files, store, clock } = services;
    for (let failing = 1; failing <= 3; failing++) {
      const bad = store.commits + failing;
      let isRefused = false;
      store.plan = (commit) => commit === bad && (isRefused = true) ? "full" : "none";
      const [outcome] = await Promise.allSettled([
        files.write(ACTOR, { namespace: NS, path: "f" }, sourceOf(patternBytes(size))),
      ]);
      const isFailed = outcome.status === "rejected";
      if (isFailed) assertEquals((outcome.reason as DomainError).code, "storage_full");
      if (!isFailed) break;
      assert(isRefused);
      await clock.advance(1_000);
      assertEquals(await read(services, "f"), "content of f");
    }
  });
}

Deno.test("write() refuses a file where a directory is, and a directory where a file is", async () => {
  const services = await startWith("d/f");
  for (const path of ["d", "d/f/x", "d/f/x/y"]) {
    const error = await assertRejects(
      () => services.files.write(ACTOR, { namespace: NS, path }, sourceOf("x")),
      DomainError,
    );
    assertEquals(error.code, "invalid_argument", path);
  }
  await assertRejects(() => services.files.createDirectory(ACTOR, NS, "d/f"), DomainError, "is a file");
  assertEquals(await treeOf(services, NS), ["d/", "d/f"]);
});

Deno.test("write() of too many bytes is refused and stores nothing", async () => {
  const { files, inner } = await startNamespaceServices({ maxUploadBytes: 100_000 });
  const error = await assertRejects(
    () => files.write(ACTOR, { namespace: NS, path: "f" }, sourceOf(patternBytes(100_001))),
    DomainError,
  );
  assertEquals(error.code, "too_large");
  assertEquals([inner.count(["main"]), inner.count(["bi"])], [0, 0]);
});

Deno.test("list() returns the direct entries of a directory", async () => {
  const { files } = await startWith(
    "a/b/c/d.txt",
    "a/b-x",
    "a/b.txt",
    "a/b0",
    "a/empty/",
    "a/z.txt",
    "ab",
    "a0",
  );
  const names = async (path: string) => (await files.list(ACTOR, NS, path)).map(show);
  assertEquals(await names(""), ["a/", "a0", "ab"]);
  assertEquals(await names("/a"), ["a/b/", "a/b-x", "a/b.txt", "a/b0", "a/empty/", "a/z.txt"]);
  assertEquals(await names("a/b/"), ["a/b/c/"]);
  assertEquals(await names("a/empty"), []);
  assertEquals((await assertRejects(() => files.list(ACTOR, NS, "nope"), DomainError)).code, "not_found");
  assertEquals(
    (await assertRejects(() => files.list(ACTOR, NS, "ab"), DomainError)).code,
    "invalid_argument",
  );
  assertEquals(await files.list(ACTOR, "unknown", "/"), []);
  assertEquals(await files.list({ tenant: "other" }, NS, "/"), []);
});

Deno.test("createDirectory() is idempotent", async () => {
  const services = await startWith("a/b/", "a/b/", "/");
  assertEquals(await treeOf(services, NS), ["a/", "a/b/"]);
});

Deno.test("delete() removes the content and empty parents; a missing path is no error", async () => {
  const services = await startWith("a/b/c/d.txt", "a/b/c/e/f.txt", "a/x.txt", "p/q/r.txt", "p-q");
  const { files } = services;
  await files.delete(ACTOR, NS, "a/b/c");
  assertEquals(await treeOf(services, NS), ["a/", "a/x.txt", "p-q", "p/", "p/q/", "p/q/r.txt"]);
  await files.delete(ACTOR, NS, "p/q/r.txt");
  await files.delete(ACTOR, NS, "p/q/r.txt");
  assertEquals(await treeOf(services, NS), ["a/", "a/x.txt", "p-q"]);
  await files.delete(ACTOR, NS, "/");
  assertEquals(await treeOf(services, NS), []);
});

Deno.test("move() renames files and directories and keeps their content", async () => {
  const services = await startWith("a/b.txt", "a/c/d.txt", "ab.txt");
  const { files } = services;
  await files.move(ACTOR, NS, "/a", "/new/place");
  assertEquals(await treeOf(services, NS), [
    "ab.txt",
    "new/",
    "new/place/",
    "new/place/b.txt",
    "new/place/c/",
    "new/place/c/d.txt",
  ]);
  await files.move(ACTOR, NS, "ab.txt", "ba.txt");
  await files.move(ACTOR, NS, "ba.txt", "ba.txt");
  assertEquals(await read(services, "ba.txt"), "content of ab.txt");
  assertEquals(await read(services, "new/place/c/d.txt"), "content of a/c/d.txt");
});

Deno.test("move() refuses invalid targets and changes nothing", async () => {
  const deep = `${"d/".repeat(20)}f`;
  const services = await startWith("a/b.txt", "c.txt", deep);
  const before = await treeOf(services, NS);
  const refused = [
    ["nope", "x", "not_found"],
    ["a/b.txt", "c.txt", "already_exists"],
    ["a", "c.txt", "already_exists"],
    ["a", "a/inside", "invalid_argument"],
    ["a/b.txt", "c.txt/x", "invalid_argument"],
    ["d", `${"x/".repeat(15)}y`, "invalid_argument"],
    ["a", "../out", "invalid_argument"],
    ["_flows/x.yml", "y", "invalid_argument"],
    ["a/b.txt", "_flows/b.yml", "invalid_argument"],
    ["/", "x", "invalid_argument"],
  ] as const;
  for (const [from, to, code] of refused) {
    const error = await assertRejects(() => services.files.move(ACTOR, NS, from, to), DomainError);
    assertEquals(error.code, code, `${from} to ${to}`);
  }
  assertEquals(await treeOf(services, NS), before);
});

Deno.test("move() and delete() of a large directory, interrupted at any commit, lose no file", async () => {
  const names = Array.from({ length: 900 }, (_, n) => `dir/${String(n).padStart(4, "0")}`);
  const filled = await startWith(...names);
  for (let crash = 1; crash <= 12; crash++) {
    const { inner, clock } = filled;
    const services = await startNamespaceServices({ inner: inner.reopen(), clock });
    const last = services.store.commits + crash;
    services.store.plan = (commit) => commit === last ? "fail_before" : "none";
    const [outcome] = await Promise.allSettled([services.files.move(ACTOR, NS, "dir", "moved")]);
    services.store.plan = () => "none";
    await clock.advance(1_000);
    const files = (await treeOf(services, NS)).filter((path) => !path.endsWith("/"));
    assertEquals(files.map((path) => path.slice(-4)).sort(), names.map((name) => name.slice(-4)));
    if (outcome.status === "fulfilled") {
      assertEquals(files.every((path) => path.startsWith("moved/")), true);
      await services.files.delete(ACTOR, NS, "moved");
      assertEquals(services.inner.count(["main"]), 0);
      return;
    }
  }
  throw new Error("the move never ended");
});

Deno.test("search() finds files by a case-sensitive part of their path", async () => {
  const { files } = await startWith("dir/a.py", "dir/B.py", "x/dir/", "a.txt");
  assertEquals(await files.search(ACTOR, NS, "/a."), ["/a.txt", "/dir/a.py"]);
  assertEquals(await files.search(ACTOR, NS, "b.py"), []);
  assertEquals(await files.search(ACTOR, NS, ""), ["/a.txt", "/dir/B.py", "/dir/a.py"]);
});

Deno.test("write() imports a flow in the folder of flows and refuses other files there", async () => {
  const services = await startNamespaceServices();
  const { files, imported } = services;
  await files.write(ACTOR, { namespace: NS, path: "_flows/x.yml" }, sourceOf("id: ", "x"));
  await files.write(ACTOR, { namespace: NS, path: "/_flows/y.yaml" }, sourceOf("id: y"));
  assertEquals(imported, ["main/team: id: x", "main/team: id: y"]);
  for (const path of ["_flows/x.txt", "_flows", "_flows/sub/x.yml", "_flows/.yml/x"]) {
    const error = await assertRejects(
      () => files.write(ACTOR, { namespace: NS, path }, sourceOf("x")),
      DomainError,
      "Forbidden path: ",
    );
    assertEquals(error.code, "invalid_argument");
  }
  await assertRejects(() => files.createDirectory(ACTOR, NS, "_flows"), DomainError, "Forbidden path");
  await assertRejects(() => files.delete(ACTOR, NS, "_flows/x.yml"), DomainError, "Forbidden path");
  await assertRejects(
    () => files.write(ACTOR, { namespace: NS, path: "_flows/x.yml" }, sourceOf(patternBytes(600_000))),
    DomainError,
    "larger",
  );
  assertEquals(await treeOf(services, NS), []);
});
