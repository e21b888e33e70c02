import { assert, assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import type { UserChange } from "../../../src/model/access/user.ts";
import { setJson } from "../../../src/store/stored_entries.ts";
import { userKey } from "../../../src/store/keys.ts";
import { readUsers } from "../../../src/store/records/access/user_records.ts";
import {
  ADMIN,
  type AppUnderTest,
  basicHeader,
  bearerHeader,
  parseLine,
  QUICK_HASH,
  startApp,
} from "../../http/app_under_test.ts";
import { PasswordHash } from "../../../src/services/access/password.ts";
import type { Atomic } from "../../../src/store/store.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";

const PASSWORD = "correct:horse";
const FIRST = { user: "first", password: PASSWORD };
const headerOf = (user: string, password = PASSWORD) =>
  basicHeader({ user, password })["authorization"] ?? "";

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  return (await assertRejects(work, DomainError)).code;
}

/** A server without a configured user, whose first user is set. */
async function startStored(store?: MemoryStore, clock?: FakeClock): Promise<AppUnderTest> {
  const server = await startApp({ isUserStored: true, store, clock });
  if (server.firstUser?.isOpen) {
    await server.firstUser.setUp({ ...FIRST, isLocal: true, address: "127.0.0.1" });
  }
  return server;
}

/** Status of a request with each kind of credentials. */
async function statuses(server: AppUnderTest, kinds: readonly Record<string, string>[]): Promise<number[]> {
  const found: number[] = [];
  for (const headers of kinds) {
    found.push((await server.send("/api/v1/main/flows/search", { headers })).status);
  }
  return found;
}

Deno.test("Users: all users are there after a restart", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  {
    await using server = await startStored(store, clock);
    await server.tenants.create({ id: "acme", name: "Acme" });
    await server.users.create({ user: "eva", password: PASSWORD, role: "editor", tenants: ["acme"] });
    await server.users.create({ user: "off", password: PASSWORD, role: "viewer" });
    await server.users.change("off", { isDisabled: true });
    await server.users.create({ user: "gone", password: PASSWORD, role: "viewer" });
    await server.users.remove("gone");
  }
  await using server = await startStored(store.reopen(clock), clock);
  const facts = server.users.list().map((
    { name, role, tenants, isDisabled },
  ) => [name, role, tenants, isDisabled]);
  assertEquals(facts, [
    ["eva", "editor", ["acme"], false],
    ["first", "admin", undefined, false],
    ["off", "viewer", undefined, true],
  ]);
  const caller = await server.auth.authenticate(headerOf("eva"), "192.0.2.1");
  assertEquals([caller.role, caller.canEnter("acme"), caller.canEnter("main")], ["editor", true, false]);
  assertEquals(
    await codeOf(async () => await server.auth.authenticate(headerOf("off"), "192.0.2.1")),
    "unauthorized",
  );
});

const CHANGES: readonly (readonly [what: string, change: UserChange])[] = [
  ["role", { role: "viewer" }],
  ["tenants", { tenants: ["main"] }],
  ["password", { password: "battery:staple" }],
  ["log-in", { isDisabled: true }],
];
for (const [what, change] of CHANGES) {
  Deno.test(`Users.change() of the ${what} ends sessions, verified credentials and event streams`, async () => {
    await using server = await startApp({ isProtected: true });
    await server.users.create({ user: "eva", password: PASSWORD, role: "editor" });
    const session = await server.auth.logIn({ user: "eva", password: PASSWORD }, "::1") ?? "";
    const caller = server.auth.callerOfSession(session);
    assert(caller);
    await server.auth.authenticate(headerOf("eva"), "192.0.2.1");
    const stream = server.eventStreams.open((_, signal) => ended(signal), {
      actor: caller.actorOf("main"),
      request: new Request("http://localhost/"),
    });
    await server.users.change("eva", change);
    assertEquals(server.auth.callerOfSession(session), undefined);
    assertEquals(server.auth.known(headerOf("eva")), undefined);
    assertEquals(await stream.text(), "");
  });
}

Deno.test("Auth.changePassword() does not replace a password that was set after the old one was verified", async () => {
  await using server = await startApp({ isProtected: true });
  const { auth, users } = server;
  await users.create({ user: "eva", password: PASSWORD, role: "editor" });
  await auth.authenticate(headerOf("eva"), "::1");
  const reset = users.change("eva", { password: "battery:staple" });
  const change = { oldPassword: PASSWORD, newPassword: "taken:over" };
  assertEquals(await codeOf(() => auth.changePassword("eva", change, "::1")), "invalid_entity");
  await reset;
  assertEquals(
    await codeOf(async () => await auth.authenticate(headerOf("eva", "taken:over"), "::1")),
    "unauthorized",
  );
  assertEquals((await auth.authenticate(headerOf("eva", "battery:staple"), "::1")).user, "eva");
});

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

Deno.test("a token acts with the role and in the tenants of its user, as they are now", async () => {
  await using server = await startApp({ isProtected: true });
  await server.tenants.create({ id: "acme", name: "Acme" });
  const { users, auth } = server;
  await users.create({ user: "eva", password: PASSWORD, role: "editor" });
  const plain = await server.tokens.create("eva", { name: "plain", extended: false });
  const wide = await server.tokens.create("eva", { name: "wide", extended: false, role: "admin" });
  const narrow = await server.tokens.create("eva", { name: "narrow", extended: false, role: "viewer" });
  const headers = [plain, wide, narrow].map(({ secret }) => bearerHeader(secret)["authorization"] ?? "");
  const roles = () => headers.map((header) => (auth.authenticate(header, "::1") as { role: string }).role);
  assertEquals(roles(), ["editor", "editor", "viewer"]);
  await users.change("eva", { role: "admin" });
  assertEquals(roles(), ["admin", "admin", "viewer"]);
  await users.change("eva", { role: "viewer", tenants: ["acme"] });
  assertEquals(roles(), ["viewer", "viewer", "viewer"]);
  assertEquals(headers.map((header) => auth.known(header)?.canEnter("main")), [false, false, false]);
  await users.change("eva", { isDisabled: true });
  assertEquals(headers.map((header) => auth.known(header)), [undefined, undefined, undefined]);
  await users.change("eva", { isDisabled: false });
  assertEquals(roles(), ["viewer", "viewer", "viewer"]);
});

Deno.test("Users.remove() ends all that acts for the user; a later user of the name is another one", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  await using server = await startApp({ isProtected: true, store, clock });
  await server.users.create({ user: "eva", password: PASSWORD, role: "editor" });
  const { secret } = await server.tokens.create("eva", { name: "ci", extended: false });
  const session = await server.auth.logIn({ user: "eva", password: PASSWORD }, "::1");
  const kinds = [basicHeader({ user: "eva", password: PASSWORD }), bearerHeader(secret), {
    cookie: `SLUICE_SESSION=${session}`,
  }];
  assertEquals(await statuses(server, kinds), [200, 200, 200]);
  const creation = server.tokens.create("eva", { name: "late", extended: false });
  const [, late] = await Promise.all([server.users.remove("eva"), creation]);
  assertEquals(await statuses(server, kinds), [401, 401, 401]);
  await server.users.create({ user: "eva", password: "battery:staple", role: "admin" });
  assertEquals(await statuses(server, [...kinds, bearerHeader(late.secret)]), [401, 401, 401, 401]);
  assertEquals((await Array.fromAsync(store.list({ prefix: ["token"] }))).length, 0);
});

/** A store whose disk can be full. */
class FullStore extends MemoryStore {
  isFull = false;

  override commit(atomic: Atomic): Promise<string | null> {
    return this.isFull ? Promise.reject(new Error("database or disk is full")) : super.commit(atomic);
  }
}

Deno.test("a change that cannot be stored is refused, and changes nothing", async () => {
  const clock = new FakeClock();
  const store = new FullStore(clock);
  await using server = await startApp({ isProtected: true, store, clock });
  const { users } = server;
  await users.create({ user: "eva", password: PASSWORD, role: "editor" });
  const { secret } = await server.tokens.create("eva", { name: "ci", extended: false });
  const token = bearerHeader(secret)["authorization"] ?? "";
  store.isFull = true;
  await assertRejects(() => users.remove("eva"), DomainError);
  await assertRejects(() => users.change("eva", { role: "admin" }), DomainError);
  await assertRejects(() => users.create({ user: "emil", password: PASSWORD, role: "viewer" }), DomainError);
  assertEquals(users.list().map(({ name, role }) => `${name} ${role}`), ["admin admin", "eva editor"]);
  assertEquals((await server.auth.authenticate(headerOf("eva"), "::1")).role, "editor");
  assertEquals((await server.auth.authenticate(token, "::1")).user, "eva");
  store.isFull = false;
  await clock.advance(2_000);
  await users.remove("eva");
  assertEquals(users.find("eva"), undefined);
});

Deno.test("the last admin can be neither removed, demoted nor disabled", async () => {
  await using server = await startStored();
  const { users } = server;
  const attempts = () => [
    () => users.remove("first"),
    () => users.change("first", { role: "editor" }),
    () => users.change("first", { isDisabled: true }),
  ];
  for (const attempt of attempts()) assertEquals(await codeOf(attempt), "conflict");
  await users.create({ user: "ada", password: PASSWORD, role: "admin" });
  await users.change("ada", { isDisabled: true });
  for (const attempt of attempts()) assertEquals(await codeOf(attempt), "conflict");
  await users.change("ada", { isDisabled: false });
  const both = await Promise.allSettled([users.change("first", { role: "viewer" }), users.remove("ada")]);
  assertEquals(both.map(({ status }) => status), ["fulfilled", "rejected"]);
  assertEquals(users.list().map(({ name, role }) => `${name} ${role}`), ["ada admin", "first viewer"]);
});

Deno.test("a configured user is an admin beside those that are stored", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  {
    await using server = await startStored(store, clock);
    await server.users.create({ user: "ada", password: PASSWORD, role: "admin" });
  }
  await using server = await startApp({ isProtected: true, store: store.reopen(clock), clock });
  assertEquals(server.users.list().map(({ name }) => name), ["ada", "admin", "first"]);
  const kinds = ["ada", "first", ADMIN.user].map((user) => basicHeader({ user, password: ADMIN.password }));
  assertEquals(await statuses(server, kinds), [200, 200, 200]);
  await server.users.remove("first");
  await server.users.remove("ada");
  assertEquals(server.users.firstName, "admin");
});

Deno.test("a first user from before there were roles is an admin, and disabled where another one is configured", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const { hash, salt, work } = (await PasswordHash.create(PASSWORD, randomBytes, QUICK_HASH)).stored;
  const record = [hash.toBase64(), salt.toBase64(), work.cost, work.passes, 1_000];
  await store.commit({ checks: [], messages: [], mutations: [setJson(userKey("first"), record)] });
  {
    await using server = await startStored(store, clock);
    assertEquals(server.users.get("first").role, "admin");
    assertEquals((await server.auth.authenticate(headerOf("first"), "::1")).role, "admin");
  }
  const again = store.reopen(clock);
  await using server = await startApp({ isProtected: true, store: again, clock });
  assertEquals(server.users.get("first").isDisabled, true);
  assertEquals(
    await codeOf(async () => await server.auth.authenticate(headerOf("first"), "::1")),
    "unauthorized",
  );
  await server.users.change("first", { isDisabled: false });
  assertEquals((await server.auth.authenticate(headerOf("first"), "::1")).user, "first");
  assertEquals((await readUsers(again))[0]?.role, "admin");
});

const randomBytes = (bytes: Uint8Array<ArrayBuffer>) => void crypto.getRandomValues(bytes);

Deno.test("Users: a user does not enter a tenant that was removed and created again", async () => {
  await using server = await startApp({ isProtected: true });
  for (const id of ["acme", "beta"]) await server.tenants.create({ id, name: id });
  await server.users.create({ user: "eva", password: PASSWORD, role: "editor", tenants: ["acme", "beta"] });
  await server.tenants.remove("acme");
  await server.tenants.create({ id: "acme", name: "acme" });
  assertEquals(server.users.get("eva").tenants, ["beta"]);
  const caller = await server.auth.authenticate(headerOf("eva"), "::1");
  assertEquals([caller.canEnter("acme"), caller.canEnter("beta")], [false, true]);
});

Deno.test("Auth does the same work for a name without a user, a disabled one and a wrong password", async () => {
  await using server = await startApp({ isProtected: true });
  await server.users.create({ user: "off", password: PASSWORD, role: "viewer" });
  await server.users.change("off", { isDisabled: true });
  const hashes: string[] = [];
  const matches = PasswordHash.prototype.matches;
  PasswordHash.prototype.matches = function (this: PasswordHash, password: string) {
    const { hash, salt, work } = this.stored;
    hashes.push(JSON.stringify([hash.length, salt.length, work]));
    return matches.call(this, password);
  };
  try {
    for (const user of ["nobody", "off", ADMIN.user]) {
      const header = headerOf(user, "wrong-password");
      assertEquals(await codeOf(async () => await server.auth.authenticate(header, "::1")), "unauthorized");
    }
  } finally {
    PasswordHash.prototype.matches = matches;
  }
  assertEquals([hashes.length, new Set(hashes).size], [3, 1]);
});

Deno.test("failed log-ins are counted by name and network, for each user apart", async () => {
  await using server = await startApp({ isProtected: true });
  for (const user of ["eva", "emil"]) await server.users.create({ user, password: PASSWORD, role: "viewer" });
  const attempt = (user: string, password: string, address: string) =>
    server.auth.logIn({ user, password }, address).then(() => "in", (error: DomainError) => error.code);
  for (let n = 0; n < 10; n++) assertEquals(await attempt("eva", `wrong${n}`, "192.0.2.1"), "unauthorized");
  assertEquals(await attempt("eva", PASSWORD, "192.0.2.1"), "too_many_requests");
  assertEquals(await attempt("emil", PASSWORD, "192.0.2.1"), "in");
  assertEquals(await attempt("eva", PASSWORD, "192.0.2.2"), "in");
});

Deno.test("Tokens.start() logs tokens whose users do not exist, without their secrets", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  {
    await using server = await startApp({ isProtected: true, store, clock });
    await server.tokens.create("former", { name: "a", extended: false });
    await server.tokens.create("admin", { name: "b", extended: false });
  }
  const log: string[] = [];
  await using _server = await startApp({ isProtected: true, store: store.reopen(clock), clock, log });
  const lines = log.map(parseLine).filter(({ message }) => String(message).startsWith("Tokens are refused"));
  assertEquals(lines.map(({ level, tokens, users }) => [level, tokens, users]), [["warn", 1, "former"]]);
});

Deno.test("Users.start() warns of stored users without an admin, who can log in all the same", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  {
    await using server = await startApp({ isProtected: true, store, clock });
    await server.users.create({ user: "eva", password: PASSWORD, role: "editor" });
  }
  const log: string[] = [];
  await using server = await startApp({ isUserStored: true, store: store.reopen(clock), clock, log });
  assertEquals([server.users.firstName, server.firstUser?.isOpen], ["eva", false]);
  assertEquals((await server.auth.authenticate(headerOf("eva"), "::1")).role, "editor");
  const warnings = log.map(parseLine).filter(({ level }) => level === "warn");
  assertEquals(warnings.map(({ message }) => message), [
    "No user may administer this server: start it with --basic-auth-file",
  ]);
});
