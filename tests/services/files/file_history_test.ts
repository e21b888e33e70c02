/** Revisions of namespace files, against a simple model. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import fc from "../../support/fast_check.ts";
import {
  ACTOR,
  collectText,
  type NamespaceTestServices,
  patternBytes,
  sourceOf,
  startNamespaceServices,
} from "../../support/flows/namespace_services.ts";
import { fileKey } from "../../../src/store/keys.ts";
import { setJson } from "../../../src/store/stored_entries.ts";
import { buildZip } from "../../support/zip_builder.ts";

const NS = "team";
const FILE = { namespace: NS, path: "f" };

async function contentsOf({ files }: NamespaceTestServices, path = "f"): Promise<string[]> {
  const found: string[] = [];
  for (const { revision } of await files.revisions(ACTOR, { namespace: NS, path })) {
    const { content } = await files.open(ACTOR, NS, path, revision);
    found.push(`${revision} ${(await collectText(content)).slice(0, 20)}`);
  }
  return found;
}

async function save({ files }: NamespaceTestServices, ...contents: readonly string[]): Promise<void> {
  for (const content of contents) await files.write(ACTOR, FILE, sourceOf(content));
}

Deno.test("write() keeps earlier revisions up to the limit, and stores nothing for an equal content", async () => {
  const services = await startNamespaceServices({ fileRevisions: 3 });
  await save(services, "a", "b", "b", "c", "d");
  assertEquals(await contentsOf(services), ["2 b", "3 c", "4 d"]);
  const { commits } = services.store;
  await save(services, "d");
  assertEquals(services.store.commits, commits);
  assertEquals(services.inner.count(["main", "b"]), 3);
});

Deno.test("write() of a content that an earlier revision has shares it", async () => {
  const services = await startNamespaceServices({ fileRevisions: 3 });
  const big = new TextDecoder().decode(patternBytes(200_000).map((byte) => byte & 0x7f));
  await save(services, big, "b", big);
  assertEquals((await contentsOf(services)).map((each) => each.slice(0, 1)), ["1", "2", "3"]);
  const [first, , third] = await services.files.revisions(ACTOR, FILE);
  assertEquals(first?.content, third?.content);
  const chunks = services.inner.count(["main", "b"]);
  await save(services, "c", "d");
  // The first and the second revision are gone; the content of the first is that of the third.
  assertEquals(services.inner.count(["main", "b"]), chunks + 1);
  await save(services, "e");
  assertEquals([services.inner.count(["main", "b"]), services.inner.count(["bi"])], [3, 0]);
});

Deno.test("write() drops at most two revisions after the limit was lowered", async () => {
  const services = await startNamespaceServices();
  await save(services, "a", "b", "c", "d", "e");
  const { inner, clock } = services;
  const limited = await startNamespaceServices({ inner: inner.reopen(), clock, fileRevisions: 2 });
  await save(limited, "f");
  assertEquals(await contentsOf(limited), ["3 c", "4 d", "5 e", "6 f"]);
  await save(limited, "g", "h");
  assertEquals(await contentsOf(limited), ["7 g", "8 h"]);
});

Deno.test("restore() adds a revision with the old content; the present one is left as it is", async () => {
  const services = await startNamespaceServices();
  await save(services, "a", "b");
  await services.files.restore(ACTOR, FILE, 1);
  await services.files.restore(ACTOR, FILE, 3);
  assertEquals(await contentsOf(services), ["1 a", "2 b", "3 a"]);
  assertEquals(services.inner.count(["main", "b"]), 2);
  for (const [place, revision] of [[FILE, 9], [{ ...FILE, path: "nope" }, 1]] as const) {
    const error = await assertRejects(() => services.files.restore(ACTOR, place, revision), DomainError);
    assertEquals(error.code, "not_found");
  }
  await services.files.createDirectory(ACTOR, NS, "dir");
  const error = await assertRejects(
    () => services.files.restore(ACTOR, { ...FILE, path: "dir" }, 1),
    DomainError,
  );
  assertEquals(error.code, "invalid_argument");
});

Deno.test("each revision names the user or the execution that saved it, also after a restore and a move", async () => {
  const services = await startNamespaceServices();
  const { files, transfer } = services;
  const [ada, bob] = ["ada", "bob"].map((user) => ({ tenant: "main", user }));
  assert(ada && bob);
  await save(services, "unknown");
  await files.write(ada, FILE, sourceOf("by a user"));
  await files.write({ tenant: "main", executionId: "e1" }, FILE, sourceOf("by a task"));
  await files.restore(bob, FILE, 1);
  await transfer.import(ada, NS, sourceOf(buildZip([{ name: "f", data: "from a zip" }])));
  await files.move(bob, NS, "f", "g");
  const authors = async (place: { readonly namespace: string; readonly path: string }) =>
    (await files.revisions(ACTOR, place)).map(({ author }) => author);
  assertEquals(await authors({ namespace: NS, path: "g" }), [undefined, "ada", "execution:e1", "bob", "ada"]);
  await files.write(ada, FILE, sourceOf("new"));
  assertEquals(await authors(FILE), ["ada"]);
  await files.write(ACTOR, FILE, sourceOf("unknown again"));
  assertEquals(await authors(FILE), ["ada", undefined]);
});

Deno.test("a file that an earlier version stored has no authors, and its revisions stay", async () => {
  const services = await startNamespaceServices();
  const { committer, files } = services;
  await save(services, "a", "b");
  const [first, second] = await files.revisions(ACTOR, FILE);
  assert(first && second);
  const { modifiedAt, content: { blobId, size, digest } } = second;
  const earlier = [[1, 0, first.content.blobId, 1, first.content.digest]];
  const packed = [modifiedAt, 0, 2, blobId, size, digest, earlier];
  await committer.commit({ mutations: [setJson(fileKey("main", NS, "f"), packed)] });
  assertEquals(await files.revisions(ACTOR, FILE), [first, second]);
  await files.write({ tenant: "main", user: "ada" }, FILE, sourceOf("c"));
  assertEquals((await files.revisions(ACTOR, FILE)).map(({ author }) => author), [
    undefined,
    undefined,
    "ada",
  ]);
});

Deno.test("move() takes the revisions along, delete() removes them, and a new file begins with revision 1", async () => {
  const services = await startNamespaceServices();
  await save(services, "a", "b");
  await services.files.move(ACTOR, NS, "f", "dir/g");
  assertEquals(await contentsOf(services, "dir/g"), ["1 a", "2 b"]);
  await services.files.delete(ACTOR, NS, "dir");
  assertEquals(services.inner.count(["main"]), 0);
  await save(services, "c");
  assertEquals(await contentsOf(services), ["1 c"]);
});

Deno.test("open() of a revision that is dropped meanwhile reads it to its end", async () => {
  const services = await startNamespaceServices();
  await services.files.write(ACTOR, FILE, sourceOf(patternBytes(500_000)));
  await save(services, "b");
  const { content } = await services.files.open(ACTOR, NS, "f", 1);
  assertEquals(await services.files.purge(ACTOR, FILE, (_, age) => age > 0), 1);
  assertEquals(
    (await new Response(content as ReadableStream<Uint8Array<ArrayBuffer>>).bytes()).length,
    500_000,
  );
  assertEquals([services.inner.count(["main", "b"]), services.inner.count(["bi"])], [1, 0]);
});

Deno.test("write() that expects another revision is refused and leaves no content", async () => {
  const services = await startNamespaceServices();
  await save(services, "a", "b");
  const stale = () => services.files.write(ACTOR, FILE, sourceOf(patternBytes(500_000)), { expected: 1 });
  assertEquals((await assertRejects(stale, DomainError)).code, "precondition_failed");
  assertEquals([services.inner.count(["main", "b"]), services.inner.count(["bi"])], [2, 0]);
  await services.files.write(ACTOR, FILE, sourceOf("c"), { expected: 2 });
  assertEquals(await contentsOf(services), ["1 a", "2 b", "3 c"]);
});

/** What the model knows of a file: its revisions, oldest first. */
type Model = readonly { readonly revision: number; readonly content: string }[];
type Action =
  | { readonly type: "save"; readonly content: string }
  | { readonly type: "restore"; readonly index: number }
  | { readonly type: "keep"; readonly count: number }
  | { readonly type: "move" }
  | { readonly type: "delete" };

const MAX = 4;
const ACTIONS: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant("save" as const),
        content: fc.constantFrom("", "a", "b", "c", "x".repeat(70_000)),
      }),
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("restore" as const), index: fc.nat(MAX) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("keep" as const), count: fc.nat(MAX) }) },
    { weight: 1, arbitrary: fc.constant({ type: "move" as const }) },
    { weight: 1, arbitrary: fc.constant({ type: "delete" as const }) },
  ),
  { maxLength: 25 },
);

function saved(model: Model, content: string): Model {
  const last = model.at(-1);
  if (last?.content === content) return model;
  return [...model, { revision: (last?.revision ?? 0) + 1, content }].slice(-MAX);
}

function next(model: Model, action: Action): Model {
  switch (action.type) {
    case "save":
      return saved(model, action.content);
    case "restore": {
      const chosen = model[action.index];
      return chosen ? saved(model, chosen.content) : model;
    }
    case "keep":
      return action.count === 0 ? [] : model.slice(-action.count);
    case "move":
      return model;
    case "delete":
      return [];
  }
}

async function apply(
  { files }: NamespaceTestServices,
  path: string,
  model: Model,
  action: Action,
): Promise<string> {
  const place = { namespace: NS, path };
  const chosen = action.type === "restore" ? model[action.index] : undefined;
  if (action.type === "save") await files.write(ACTOR, place, sourceOf(action.content));
  else if (chosen) await files.restore(ACTOR, place, chosen.revision);
  else if (action.type === "keep") await files.purge(ACTOR, place, (_, age) => age >= action.count);
  else if (action.type === "delete") await files.delete(ACTOR, NS, path);
  else if (action.type === "move" && model.length > 0) {
    const target = path === "f" ? "dir/g" : "f";
    await files.move(ACTOR, NS, path, target);
    return target;
  }
  return path;
}

Deno.test("the revisions of a file are those of a simple model, and contents are stored once", async () => {
  await fc.assert(
    fc.asyncProperty(ACTIONS, async (actions) => {
      const services = await startNamespaceServices({ fileRevisions: MAX });
      let model: Model = [];
      let path = "f";
      for (const action of actions) {
        path = await apply(services, path, model, action);
        model = next(model, action);
        const found = model.length > 0 ? await contentsOf(services, path) : [];
        assertEquals(found, model.map(({ revision, content }) => `${revision} ${content.slice(0, 20)}`));
        const contents = new Set(model.map(({ content }) => content));
        const chunks = [...contents].reduce((sum, { length }) => sum + Math.ceil(length / 61_440), 0);
        assertEquals([services.inner.count(["main", "b"]), services.inner.count(["bi"])], [chunks, 0]);
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("restore() and write() that the store refuses at any commit keep every revision", async () => {
  for (let failing = 1; failing <= 6; failing++) {
    const services = await startNamespaceServices({ fileRevisions: 3 });
    await save(services, "a", "b");
    const bad = services.store.commits + failing;
    services.store.plan = (commit) => commit === bad ? "full" : "none";
    const outcomes = await Promise.allSettled([
      services.files.restore(ACTOR, FILE, 1),
      services.files.write(ACTOR, FILE, sourceOf(patternBytes(200_000))),
    ]);
    services.store.plan = () => "none";
    await services.clock.advance(1_000);
    const found = await contentsOf(services);
    const done = outcomes.filter(({ status }) => status === "fulfilled").length;
    assertEquals(found.length, Math.min(3, 2 + done), `commit ${failing}`);
    assert(found.some((each) => each.endsWith("b")));
  }
});
