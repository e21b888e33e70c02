import { assert, assertEquals, assertRejects } from "@std/assert";
import { Logger } from "../../../src/base/log.ts";
import { DomainError } from "../../../src/model/errors.ts";
import { readEnvironmentSecrets } from "../../../src/services/namespaces/environment_secrets.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { ACTOR, startNamespaceServices } from "../../support/flows/namespace_services.ts";

const ID = { namespace: "team.data", name: "API_KEY" };

Deno.test("valueFor() returns the value of put(), which is stored encrypted", async () => {
  const { secrets, store } = await startNamespaceServices();
  const written: string[] = [];
  store.plan = (_, atomic) => {
    for (const mutation of atomic.mutations) {
      if (mutation.type === "set") written.push(new TextDecoder().decode(mutation.value));
    }
    return "none";
  };
  await secrets.put(ACTOR, ID, "s3cr3t-value", { description: "for the API" });
  assertEquals(await secrets.valueFor("main", ID), "s3cr3t-value");
  assert(!written.join().includes("s3cr3t-value"));
});

Deno.test("valueFor() reads the namespace, its parents, then the environment", async () => {
  const environment = new Map([["API_KEY", "env"], ["ONLY", "env-only"]]);
  const { secrets } = await startNamespaceServices({ environment });
  assertEquals(await secrets.valueFor("main", ID), "env");
  await secrets.put(ACTOR, { namespace: "team", name: "API_KEY" }, "parent");
  assertEquals(await secrets.valueFor("main", ID), "parent");
  await secrets.put(ACTOR, ID, "own");
  assertEquals(await secrets.valueFor("main", ID), "own");
  assertEquals(await secrets.valueFor("main", { namespace: "x", name: "only" }), "env-only");
  assertEquals(await secrets.valueFor("other", ID), undefined);
  assertEquals(await secrets.valueFor("main", { namespace: "x", name: "constructor" }), undefined);
});

Deno.test("list(), listAll(), search() and listUsable() show names and never values", async () => {
  const { secrets } = await startNamespaceServices({ environment: new Map([["ENV", "hidden-env"]]) });
  await secrets.put(ACTOR, ID, "hidden", { tags: [{ key: "team", value: "x" }] });
  await secrets.put(ACTOR, { namespace: "team", name: "UP" }, "hidden");
  const shown = [
    await secrets.list(ACTOR, ID.namespace),
    await secrets.listAll(ACTOR, ID.namespace),
    await secrets.search(ACTOR, () => true),
    [...await secrets.listUsable(ACTOR, ID.namespace)],
  ];
  assert(!JSON.stringify(shown).includes("hidden"));
  assertEquals(shown.slice(0, 3).map(({ length }) => length), [1, 2, 3]);
  assertEquals(shown[3], [["team.data", ["API_KEY", "ENV"]], ["team", ["UP"]]]);
});

Deno.test("secrets of the environment belong to main and to tenants that are named", async () => {
  const environment = new Map([["API_KEY", "env"]]);
  const cases: readonly (readonly [secretTenants: string[], readers: string[]])[] = [
    [[], ["main"]],
    [["acme"], ["main", "acme"]],
    [["acme", "other"], ["main", "acme", "other"]],
  ];
  for (const [secretTenants, readers] of cases) {
    const { secrets } = await startNamespaceServices({ environment, secretTenants });
    for (const tenant of ["main", "acme", "other"]) {
      const actor = { ...ACTOR, tenant };
      const seen = [
        await secrets.valueFor(tenant, ID),
        (await secrets.listAll(actor, ID.namespace)).length,
        (await secrets.search(actor, () => true)).length,
        (await secrets.listUsable(actor, ID.namespace)).get(ID.namespace),
      ];
      const isReader = readers.includes(tenant);
      assertEquals(
        seen,
        isReader ? ["env", 1, 1, ["API_KEY"]] : [undefined, 0, 0, []],
        `${secretTenants} ${tenant}`,
      );
    }
  }
});

Deno.test("the newest use of a secret is shown at once and stored by writeUses(), once a secret", async () => {
  const { secrets, store, clock, inner } = await startNamespaceServices();
  await secrets.put(ACTOR, { namespace: "team", name: "UP" }, "hidden", { description: "d" });
  await secrets.put(ACTOR, ID, "hidden");
  const usesIn = async (service: typeof secrets) =>
    (await service.search(ACTOR, () => true)).map(({ name, lastUse }) => [name, lastUse?.at, lastUse?.by]);
  let writes = 0;
  store.plan = (_, { mutations }) => {
    writes += mutations.filter(({ key }) => key[1] === "s").length;
    return "none";
  };
  for (const flow of ["first", "second"]) {
    await clock.advance(1_000);
    await secrets.valueFor("main", { ...ID, name: "UP" }, `team.data.${flow}`);
  }
  await secrets.valueFor("main", ID); // Not by a flow.
  const expected = [["UP", clock.now(), "team.data.second"], ["API_KEY", undefined, undefined]];
  assertEquals([await usesIn(secrets), writes], [expected, 0]);
  await secrets.writeUses();
  await secrets.writeUses();
  const { secrets: next } = await startNamespaceServices({ inner, clock });
  assertEquals([await usesIn(secrets), await usesIn(next), writes], [expected, expected, 1]);
  const up = { namespace: "team", name: "UP" };
  assertEquals(await next.valueFor("main", up), "hidden");
  await next.put(ACTOR, up, "other");
  await next.describe(ACTOR, up, { description: "e" });
  assertEquals(await usesIn(next), expected);
});

Deno.test("writeUses() neither restores a deleted secret nor loses a use while nothing can be written", async () => {
  const { secrets, store, clock } = await startNamespaceServices();
  await secrets.put(ACTOR, ID, "v");
  await secrets.valueFor("main", ID, "team.data.flow");
  await secrets.delete(ACTOR, ID);
  await secrets.writeUses();
  assertEquals(await secrets.list(ACTOR, ID.namespace), []);
  await secrets.put(ACTOR, ID, "v");
  const [created] = await secrets.list(ACTOR, ID.namespace);
  assertEquals(created?.lastUse, undefined);
  await secrets.valueFor("main", ID, "team.data.flow");
  const use = { at: clock.now(), by: "team.data.flow" };
  store.plan = () => "fail_before";
  await assertRejects(() => secrets.writeUses(), DomainError);
  assertEquals((await secrets.list(ACTOR, ID.namespace)).map(({ lastUse }) => lastUse), [use]);
});

Deno.test("the use of a secret of the environment is shown from memory and never stored", async () => {
  const environment = new Map([["ENV", "hidden"], ["OTHER", "hidden"]]);
  const { secrets, store, clock } = await startNamespaceServices({ environment });
  store.plan = () => "fail_before";
  await secrets.valueFor("main", { namespace: "x", name: "env" }, "x.flow");
  await secrets.writeUses();
  const lastUse = { at: clock.now(), by: "x.flow" };
  assertEquals(
    (await secrets.listAll(ACTOR, "team")).map(({ name, lastUse }) => [name, lastUse]),
    [["ENV", lastUse], ["OTHER", undefined]],
  );
});

Deno.test("describe() changes description and tags, not the value", async () => {
  const { secrets } = await startNamespaceServices();
  await assertRejects(() => secrets.describe(ACTOR, ID, { description: "x" }), DomainError, "No secret");
  await secrets.put(ACTOR, ID, "v", { description: "old", tags: [{ key: "a", value: "b" }] });
  const info = await secrets.describe(ACTOR, ID, { description: "new" });
  assertEquals([info.description, info.tags], ["new", [{ key: "a", value: "b" }]]);
  assertEquals(await secrets.valueFor("main", ID), "v");
});

Deno.test("delete() removes a secret once", async () => {
  const { secrets } = await startNamespaceServices();
  await secrets.put(ACTOR, ID, "v");
  await secrets.delete(ACTOR, ID);
  assertEquals(await secrets.valueFor("main", ID), undefined);
  assertEquals((await assertRejects(() => secrets.delete(ACTOR, ID), DomainError)).code, "not_found");
});

Deno.test("a ciphertext copied to another name, or read with another key, is refused without the value", async () => {
  const { secrets, inner, committer } = await startNamespaceServices();
  await secrets.put(ACTOR, ID, "hidden");
  const entry = await inner.get(["main", "s", ID.namespace, ID.name]);
  assert(entry);
  const key = ["main", "s", ID.namespace, "OTHER"];
  await committer.commit({ mutations: [{ type: "set", key, value: entry.value }] });
  const moved = await assertRejects(() => secrets.valueFor("main", { ...ID, name: "OTHER" }), DomainError);
  const other = await startNamespaceServices({ inner, keyByte: 9 });
  const unreadable = await assertRejects(
    () => other.secrets.valueFor("main", ID),
    DomainError,
    "another key",
  );
  assertEquals([moved.code, unreadable.code], ["internal", "internal"]);
  assert(!`${moved.message}${unreadable.message}`.includes("hidden"));
});

Deno.test("put() refuses invalid names and sizes, without the value in the message", async () => {
  const { secrets } = await startNamespaceServices();
  for (const name of ["", "a b", "a/b", "-a", "x".repeat(257)]) {
    const error = await assertRejects(() => secrets.put(ACTOR, { ...ID, name }, "hidden"), DomainError);
    assertEquals([error.code, error.message.includes("hidden")], ["invalid_argument", false]);
  }
  const error = await assertRejects(() => secrets.put(ACTOR, ID, "hidden".repeat(10_000)), DomainError);
  assertEquals([error.code, error.message.includes("hidden")], ["too_large", false]);
  await secrets.put(ACTOR, ID, "ü".repeat(16_384), {
    description: "ü".repeat(250),
    tags: Array.from({ length: 10 }, () => ({ key: "ü".repeat(250), value: "ü".repeat(250) })),
  });
});

Deno.test("readEnvironmentSecrets() decodes base64 and warns about other values by name only", () => {
  const lines: string[] = [];
  const clock = new FakeClock();
  const logger = new Logger({ level: "debug", format: "json", clock, write: (line) => lines.push(line) });
  const secrets = readEnvironmentSecrets(
    new Map([
      ["SECRET_PLAIN", btoa("value")],
      ["SECRET_UNPADDED", btoa("abcd").replaceAll("=", "")],
      ["SECRET_WRAPPED", "dmFs\ndWU=\r\n"],
      ["SECRET_EMPTY", ""],
      ["SECRET_BAD", "not base64!"],
      ["SECRET_BINARY", btoa("\xff\xfe")],
      ["SECRET_", btoa("x")],
      ["OTHER", btoa("x")],
    ]),
    logger,
  );
  assertEquals([...secrets], [["PLAIN", "value"], ["UNPADDED", "abcd"], ["WRAPPED", "value"], ["EMPTY", ""]]);
  assertEquals(lines.length, 2);
  assert(lines[0]?.includes("SECRET_BAD") && lines[1]?.includes("SECRET_BINARY"));
  assert(!lines.join().includes("not base64!"));
});
