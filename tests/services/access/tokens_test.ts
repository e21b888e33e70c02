import { assertEquals, assertMatch, assertObjectMatch, assertRejects } from "@std/assert";
import { IdSource } from "../../../src/base/id.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { DomainError } from "../../../src/model/errors.ts";
import { MAX_TOKENS } from "../../../src/model/access/token.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { decodeJson } from "../../../src/store/codec.ts";
import { setJson } from "../../../src/store/stored_entries.ts";
import { Tenants } from "../../../src/services/access/tenants.ts";
import { Tokens } from "../../../src/services/access/tokens.ts";
import { Users } from "../../../src/services/access/users.ts";
import { ADMIN, QUICK_HASH } from "../../http/app_under_test.ts";
import type { Committer } from "../../../src/store/committer.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import { setTenant } from "../../../src/store/records/access/tenant_records.ts";
import { readTokens, setToken } from "../../../src/store/records/access/token_records.ts";
import type { Mutation } from "../../../src/store/store.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import { quietCommitter } from "../../support/fakes/quiet_committer.ts";

interface Setup extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly store: MemoryStore;
  readonly committer: Committer;
  readonly tenants: Tenants;
  readonly tokens: Tokens;
}

async function start(clock = new FakeClock(), store = new MemoryStore(clock)): Promise<Setup> {
  const logger = silentLogger(clock);
  const committer = quietCommitter(store, clock, { logger });
  await committer.start();
  const tenants = new Tenants({ store, committer });
  await tenants.start();
  const randomBytes = (bytes: Uint8Array<ArrayBuffer>) => void crypto.getRandomValues(bytes);
  const deps = { store, committer, tenants, clock, randomBytes, logger };
  const users = new Users({ basic: ADMIN, hashWork: QUICK_HASH, ...deps });
  await users.start();
  const tokens = new Tokens({ users, ids: new IdSource(), ...deps });
  await tokens.start();
  const dispose = async () => {
    await users[Symbol.asyncDispose]();
    await committer[Symbol.asyncDispose]();
  };
  return { clock, store, committer, tenants, tokens, [Symbol.asyncDispose]: dispose };
}

/** True if the secret is accepted now. */
function isAccepted({ tokens, clock }: Setup, secret: string): boolean {
  const grant = tokens.find(secret);
  return grant !== undefined && tokens.use(grant, clock.now());
}

Deno.test("Tokens.create() returns secrets of one format and stores only their hashes", async () => {
  await using setup = await start();
  const secrets = new Set<string>();
  for (let n = 0; n < 50; n++) {
    const { secret } = await setup.tokens.create("admin", { name: "a", extended: false });
    assertMatch(secret, /^sluice_[0-9A-Za-z]{48}$/);
    secrets.add(secret);
  }
  assertEquals(secrets.size, 50);
  const stored = JSON.stringify(
    await Array.fromAsync(setup.store.list({ prefix: ["token"] }), (entry) => [
      entry.key,
      new TextDecoder().decode(entry.value),
    ]),
  );
  for (const secret of secrets) assertEquals(stored.includes(secret.slice(12)), false);
});

/** A token as versions before roles stored it: the same list without the role. */
async function storeBeforeRoles({ store, committer, tokens }: Setup, user: string): Promise<string> {
  const { secret } = await tokens.create(user, { name: user, extended: false });
  for (const { hash, token } of await readTokens(store)) {
    if (token.user !== user) continue;
    const { key, value } = setToken({ hash, token }) as Extract<Mutation, { type: "set" }>;
    const list = decodeJson(value) as JsonValue[];
    await committer.commit({ mutations: [setJson(key, list.slice(0, -1))] });
  }
  return secret;
}

Deno.test("Tokens.start() gives tokens from before roles to the user that there is; newer ones of an unknown user stay refused", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  let [old, ofAnyone, recent] = ["", "", ""];
  {
    await using setup = await start(clock, store);
    old = await storeBeforeRoles(setup, "earlier");
    ofAnyone = await storeBeforeRoles(setup, "anonymous");
    ({ secret: recent } = await setup.tokens.create("gone", { name: "b", extended: false }));
  }
  for (let boot = 0; boot < 2; boot++) {
    await using setup = await start(clock, store);
    assertEquals([old, ofAnyone, recent].map((secret) => isAccepted(setup, secret)), [true, false, false]);
    assertEquals(setup.tokens.find(old)?.token.user, ADMIN.user);
  }
});

Deno.test("Tokens.start() reads all tokens after a restart", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const request = { name: "full", description: "d", maxAgeMs: 86_400_000, extended: true, tenants: ["main"] };
  let secret = "";
  {
    await using setup = await start(clock, store);
    ({ secret } = await setup.tokens.create("admin", request));
    await setup.tokens.create("admin", { name: "bare", extended: false });
    assertEquals(isAccepted(setup, secret), true);
  }
  const before = await readTokens(store);
  await using setup = await start(clock, store.reopen());
  assertEquals(setup.tokens.list().map(({ name }) => name), ["bare", "full"]);
  const byHash = (await readTokens(setup.store)).map(({ token }) => token);
  assertEquals(byHash, before.map(({ token }) => token));
  assertEquals(isAccepted(setup, secret), true);
  assertObjectMatch(setup.tokens.list()[1] ?? {}, request);
});

Deno.test("Tokens.use() refuses a token from its expiry on", async () => {
  await using setup = await start();
  const { secret } = await setup.tokens.create("admin", { name: "a", maxAgeMs: 5_000, extended: false });
  const steps: [ms: number, expected: boolean][] = [[0, true], [4_999, true], [1, false], [1, false]];
  for (const [ms, expected] of steps) {
    await setup.clock.advance(ms);
    assertEquals(isAccepted(setup, secret), expected);
  }
});

Deno.test("Tokens.use() extends an extended token by each use", async () => {
  await using setup = await start();
  const { secret } = await setup.tokens.create("admin", { name: "a", maxAgeMs: 5_000, extended: true });
  for (let n = 0; n < 5; n++) {
    await setup.clock.advance(4_000);
    assertEquals(isAccepted(setup, secret), true);
  }
  await setup.clock.advance(5_000);
  assertEquals(isAccepted(setup, secret), false);
});

Deno.test("Tokens.use() writes the last use at most once a minute", async () => {
  await using setup = await start();
  const { secret } = await setup.tokens.create("admin", { name: "a", extended: false });
  const entries = () => setup.committer.stats.entries;
  const before = entries();
  for (let n = 0; n < 5; n++) isAccepted(setup, secret);
  await setup.committer.drain();
  assertEquals(entries() - before, 1);
  await setup.clock.advance(59_999);
  isAccepted(setup, secret);
  await setup.clock.advance(1);
  isAccepted(setup, secret);
  await setup.committer.drain();
  assertEquals(entries() - before, 2);
});

Deno.test("Tokens.revoke() is final, even while a use is being written", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  await using setup = await start(clock, store);
  const { token, secret } = await setup.tokens.create("admin", { name: "a", extended: false });
  const grant = setup.tokens.find(secret);
  isAccepted(setup, secret);
  const revoked = setup.tokens.revoke(token.id);
  clock.jump(60_000); // The next use would be written, after the delete.
  isAccepted(setup, secret);
  await revoked;
  await settle();
  assertEquals(isAccepted(setup, secret), false);
  assertEquals(grant !== undefined && setup.tokens.use(grant, clock.now()), false);
  assertEquals(await readTokens(store), []);
  await assertRejects(() => setup.tokens.revoke(token.id), DomainError, "there is no token");
});

Deno.test("Tokens: a token does not open a tenant that was removed and created again", async () => {
  await using setup = await start();
  const { tenants, tokens } = setup;
  for (const id of ["acme", "beta"]) await tenants.create({ id, name: id });
  const both = await tokens.create("admin", { name: "both", extended: false, tenants: ["acme", "beta"] });
  const one = await tokens.create("admin", { name: "one", extended: false, tenants: ["acme"] });
  const all = await tokens.create("admin", { name: "all", extended: false });
  await tenants.remove("acme");
  await tenants.create({ id: "acme", name: "another" });
  const doors = [both, one, all].map(({ secret }) =>
    ["acme", "beta"].map((tenant) => tokens.find(secret)?.caller?.canEnter(tenant))
  );
  assertEquals(doors, [[false, true], [false, false], [true, true]]);
  const stored = await readTokens(setup.store);
  assertEquals(stored.find(({ token }) => token.name === "one")?.token.tenants, []);
});

Deno.test("a token that is created while its tenant is removed does not open a later tenant of that id", async () => {
  await using setup = await start();
  const { tokens, tenants, store } = setup;
  await tenants.create({ id: "acme", name: "Acme" });
  const commit = store.commit.bind(store);
  let created: ReturnType<Tokens["create"]> | undefined;
  store.commit = (atomic) => {
    store.commit = commit;
    created = tokens.create("admin", { name: "one", extended: false, tenants: ["acme"] });
    return commit(atomic);
  };
  await tenants.remove("acme");
  const { secret = "" } = await created ?? {};
  await tenants.create({ id: "acme", name: "another" });
  assertEquals(tokens.find(secret)?.caller?.canEnter("acme"), false);
  assertEquals((await readTokens(store)).map(({ token }) => token.tenants), [[]]);
});

Deno.test("the removal of a tenant does not store a token again that is revoked meanwhile", async () => {
  await using setup = await start();
  const { tokens, tenants, committer } = setup;
  await tenants.create({ id: "acme", name: "Acme" });
  await tokens.create("admin", { name: "one", extended: false, tenants: ["acme"] });
  const { token } = await tokens.create("admin", { name: "two", extended: false, tenants: ["acme"] });
  const commit = committer.commit.bind(committer);
  let revoked: Promise<void> | undefined;
  committer.commit = (entry) => {
    if (entry.mutations.some(({ type, key }) => type === "set" && key[0] === "token")) {
      revoked ??= tokens.revoke(token.id);
    }
    return commit(entry);
  };
  await tenants.remove("acme");
  await revoked;
  assertEquals((await readTokens(setup.store)).map(({ token }) => token.name), ["one"]);
});

Deno.test("Tokens.start() takes tenants from tokens whose removal a crash interrupted", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  {
    await using setup = await start(clock, store);
    await setup.tenants.create({ id: "acme", name: "Acme" });
    await setup.tokens.create("admin", { name: "one", extended: false, tenants: ["acme"] });
    const mutations = [setTenant({ tenant: { id: "acme", name: "Acme" }, isRemoved: true })];
    await setup.committer.commit({ mutations });
  }
  await using setup = await start(clock, store.reopen());
  assertEquals((await readTokens(setup.store)).map(({ token }) => token.tenants), [[]]);
});

Deno.test("Tokens.find() finds only secrets", async () => {
  await using setup = await start();
  const { secret } = await setup.tokens.create("admin", { name: "a", extended: false });
  for (const text of ["", "sluice_", secret.slice(0, -1), `${secret}x`, secret.toLowerCase(), "__proto__"]) {
    assertEquals(setup.tokens.find(text), undefined);
  }
});

Deno.test("MAX_TOKENS bounds the tokens in memory", () => {
  assertEquals(MAX_TOKENS, 10_000);
});

Deno.test("Tokens.create() removes expired tokens at the limit, and refuses a token when none is expired", async () => {
  await using setup = await start();
  const request = { name: "a", extended: false };
  const { token } = await setup.tokens.create("admin", { ...request, maxAgeMs: 1_000 });
  const { token: kept } = await setup.tokens.create("admin", { ...request, maxAgeMs: 2_000 });
  const ids = new IdSource();
  for (let n = 2; n < MAX_TOKENS; n += 500) {
    const others = Array.from({ length: Math.min(500, MAX_TOKENS - n) }, (_, i) => ({
      hash: `hash${n + i}`,
      token: { ...token, id: ids.next(setup.clock.now()), expiresAt: undefined },
    }));
    await setup.committer.commit({ mutations: others.map(setToken) });
  }
  await using full = await start(setup.clock, setup.store);
  const create = () => full.tokens.create("admin", request);
  await assertRejects(create, DomainError, "there are 10000");
  full.clock.jump(1_000);
  await create();
  const listed = new Set(full.tokens.list().map(({ id }) => id));
  assertEquals([listed.size, listed.has(token.id), listed.has(kept.id)], [MAX_TOKENS, false, true]);
  assertEquals((await readTokens(full.store)).length, MAX_TOKENS);
  await assertRejects(create, DomainError, "there are 10000");
});
