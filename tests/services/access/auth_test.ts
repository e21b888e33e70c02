import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { passwordKey, type PasswordKeyInput } from "../../../src/base/crypto/password_key.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { DomainError } from "../../../src/model/errors.ts";
import { Auth } from "../../../src/services/access/auth.ts";
import { Caller } from "../../../src/services/access/caller.ts";
import { FailureLimiter } from "../../../src/services/access/failure_limiter.ts";
import { LoginQueue } from "../../../src/services/access/login_queue.ts";
import { Users } from "../../../src/services/access/users.ts";
import { PasswordHash } from "../../../src/services/access/password.ts";
import {
  ADMIN,
  basicHeader,
  bearerHeader,
  parseLine,
  QUICK_HASH,
  startApp,
} from "../../http/app_under_test.ts";
import { settle } from "../../support/fakes/fake_clock.ts";

/** The code of a refusal. */
async function codeOf(work: () => Promise<unknown>): Promise<string> {
  return await work().then(() => "accepted", ({ code }: DomainError) => code);
}

const HEADER = basicHeader()["authorization"] ?? "";
const randomBytes = (bytes: Uint8Array<ArrayBuffer>) => void crypto.getRandomValues(bytes);

Deno.test("Auth.known() returns the caller for five minutes after the password was verified", async () => {
  await using server = await startApp({ isProtected: true });
  const { auth, clock } = server;
  assertEquals(auth.known(HEADER), undefined);
  const caller = await auth.authenticate(HEADER, "192.0.2.1");
  assertEquals(caller.user, "admin");
  assertEquals(auth.authenticate(HEADER, "192.0.2.1"), caller, "no promise");
  await clock.advance(299_999);
  assertEquals(auth.known(HEADER), caller);
  await clock.advance(1);
  assertEquals(auth.known(HEADER), undefined);
});

Deno.test("Users.setConfigured() drops verified credentials", async () => {
  await using server = await startApp({ isProtected: true });
  const { auth, users } = server;
  await auth.authenticate(HEADER, "192.0.2.1");
  const underWay = Promise.resolve(auth.authenticate(`${HEADER} `, "192.0.2.1"));
  await Promise.allSettled([underWay, users.setConfigured({ user: "admin", password: "changed" })]);
  for (const header of [HEADER, `${HEADER} `]) assertEquals(auth.known(header), undefined);
  await assertRejects(async () => await auth.authenticate(HEADER, "192.0.2.1"), DomainError, "Unauthorized");
  const changed = basicHeader({ user: "admin", password: "changed" })["authorization"] ?? "";
  assertEquals((await auth.authenticate(changed, "192.0.2.1")).user, "admin");
});

Deno.test("Users.setConfigured() refuses invalid names and passwords", async () => {
  await using server = await startApp({ isProtected: true });
  const bad = [["", "x"], ["a:b", "x"], ["anonymous", "x"], ["admin", ""]];
  for (const [user = "", password = ""] of bad) {
    assertThrows(
      () => server.users.setConfigured({ user, password }),
      DomainError,
      "Illegal argument",
    );
  }
});

Deno.test("Auth.authenticate() hashes once for concurrent requests", async () => {
  await using server = await startApp({ isProtected: true });
  const together = Array.from({ length: 100 }, () => server.auth.authenticate(HEADER, "192.0.2.1"));
  const callers = new Set(await Promise.all(together));
  assertEquals(callers.size, 1);
});

Deno.test("Auth.authenticate() bounds the passwords being hashed", async () => {
  await using server = await startApp({ isProtected: true });
  const attempts = Array.from({ length: 70 }, (_, n) => {
    const header = basicHeader({ user: "admin", password: `wrong${n}` })["authorization"] ?? "";
    return Promise.try(() => server.auth.authenticate(header, `192.0.2.${n}`));
  });
  const codes = (await Promise.allSettled(attempts)).map((result) =>
    result.status === "rejected" ? (result.reason as DomainError).code : "accepted"
  );
  assertEquals(codes.filter((code) => code === "unauthorized").length, 32);
  assertEquals(codes.filter((code) => code === "too_many_requests").length, 38);
});

Deno.test("Auth.authenticate() checks a password in the background while other log-ins wait", async () => {
  await using server = await startApp({ isProtected: true });
  const { users, tokens, clock } = server;
  const inBackground: string[] = [];
  const deriveInBackground = (input: PasswordKeyInput) => {
    inBackground.push(input.password);
    return passwordKey(input);
  };
  const hashing = { clock, logger: silentLogger(clock), randomBytes, hashWork: QUICK_HASH };
  await using auth = new Auth({ users, tokens, ...hashing, deriveInBackground });
  const attempt = async (password: string) => {
    const header = basicHeader({ ...ADMIN, password })["authorization"] ?? "";
    return await codeOf(async () => await auth.authenticate(header, "192.0.2.1"));
  };
  assertEquals(await attempt("alone"), "unauthorized");
  assertEquals(inBackground, []);
  const codes = await Promise.all(["first", "second", ADMIN.password, "last"].map(attempt));
  assertEquals(codes, ["unauthorized", "unauthorized", "accepted", "unauthorized"]);
  assertEquals(inBackground, ["first", "second", ADMIN.password]);
});

Deno.test("Auth.known() accepts a token until it is revoked or expires", async () => {
  await using server = await startApp({ isProtected: true });
  const { auth, tokens, clock } = server;
  const short = await tokens.create("admin", { name: "short", maxAgeMs: 1_000, extended: false });
  const gone = await tokens.create("admin", { name: "gone", extended: false });
  const [shortHeader = "", goneHeader = ""] = [short, gone].map(({ secret }) =>
    bearerHeader(secret)["authorization"] ?? ""
  );
  for (const header of [shortHeader, goneHeader]) {
    assertEquals(auth.authenticate(header, "192.0.2.1"), auth.known(header));
  }
  await clock.advance(1_000);
  await tokens.revoke(gone.token.id);
  for (const header of [shortHeader, goneHeader]) assertEquals(auth.known(header), undefined);
});

Deno.test("Auth.known() limits a token as soon as one of its tenants is removed", async () => {
  await using server = await startApp({ isProtected: true });
  await server.tenants.create({ id: "acme", name: "Acme" });
  const { secret } = await server.tokens.create("admin", { name: "a", extended: false, tenants: ["acme"] });
  const header = bearerHeader(secret)["authorization"] ?? "";
  assertEquals((await server.auth.authenticate(header, "192.0.2.1")).canEnter("acme"), true);
  await server.tenants.remove("acme");
  assertEquals(server.auth.known(header)?.canEnter("acme"), false);
});

Deno.test("Auth.authenticate() refuses every caller before the users are read", async () => {
  await using server = await startApp();
  const { store, committer, tenants, tokens, clock } = server;
  const hashing = { clock, logger: silentLogger(clock), randomBytes, hashWork: QUICK_HASH };
  const users = new Users({ basic: ADMIN, store, committer, tenants, ...hashing });
  const auth = new Auth({ users, tokens, ...hashing });
  assertEquals(auth.isProtected, true);
  await assertRejects(async () => await auth.authenticate(HEADER, "192.0.2.1"), DomainError, "Unauthorized");
});

const LIMITS = { ofName: 10, ofNetwork: 100, windowMs: 60_000 };
const at = (name: string, network: string) => ({ name, network });

/** Counts failures until the limiter refuses; their number. */
function fill(limiter: FailureLimiter, nameOf: (n: number) => string, network: string, nowMs = 0): number {
  let count = 0;
  for (; count < 20_000 && limiter.waitMs(at(nameOf(count), network), nowMs) === undefined; count++) {
    limiter.add(at(nameOf(count), network), nowMs);
  }
  return count;
}

Deno.test("FailureLimiter limits a name at a network, and a network with any names", () => {
  const limiter = new FailureLimiter(LIMITS);
  assertEquals(fill(limiter, () => "admin", "a"), 10);
  assertEquals(limiter.waitMs(at("admin", "a"), 59_999), 1);
  assertEquals(limiter.waitMs(at("admin", "b"), 0), undefined);
  assertEquals(limiter.waitMs(at("other", "a"), 0), undefined);
  assertEquals(limiter.waitMs(at("admin", "a"), 60_000), undefined);
  assertEquals(fill(limiter, (n) => `user${n}`, "c"), 100);
  assertEquals(limiter.waitMs(at("user100", "c"), 30_500), 29_500);
});

Deno.test("FailureLimiter counts long names apart that begin with the same text", () => {
  const limiter = new FailureLimiter(LIMITS);
  const place = (end: string) => ({ name: `${"n".repeat(5_000)}${end}`, network: "n" });
  for (let n = 0; n < LIMITS.ofName; n++) limiter.add(place("a"), 0);
  assertEquals(typeof limiter.waitMs(place("a"), 0), "number");
  assertEquals(limiter.waitMs(place("b"), 0), undefined);
});

Deno.test("FailureLimiter.forgive() resets the failures of the name after a success", () => {
  const limiter = new FailureLimiter(LIMITS);
  for (let round = 0; round < 30; round++) {
    for (let n = 0; n < 3; n++) limiter.add(at("admin", "a"), 0);
    limiter.forgive(at("admin", "a"));
  }
  assertEquals(fill(limiter, () => "admin", "a"), 10);
});

Deno.test("invented names do not end the limit of a name", () => {
  const limiter = new FailureLimiter(LIMITS);
  fill(limiter, () => "admin", "a");
  for (let n = 0; n < 20_000; n++) fill(limiter, () => `invented${n}`, "a", 1);
  assertEquals(limiter.waitMs(at("admin", "a"), 2), 59_998);
});

Deno.test("FailureLimiter drops counters that have ended before any other", () => {
  const limiter = new FailureLimiter(LIMITS);
  for (let n = 0; n < 9_999; n++) limiter.add(at("x", `old${n}`), 0);
  fill(limiter, () => "admin", "a", 30_000);
  for (let n = 0; n < 9_000; n++) limiter.add(at("x", `new${n}`), 60_000);
  assertEquals(limiter.waitMs(at("admin", "a"), 60_000), 30_000);
});

/** Work that ends when the test says so, and how many of it run. */
class HeldWork {
  readonly #ends: (() => void)[] = [];
  readonly served: string[] = [];
  running = 0;
  most = 0;

  /** Work of a network. */
  of(network: string): () => Promise<void> {
    return async () => {
      this.served.push(network);
      this.most = Math.max(this.most, ++this.running);
      await new Promise<void>((resolve) => this.#ends.push(resolve));
      this.running--;
    };
  }

  /** Ends all work, also that which begins meanwhile. */
  async endAll(): Promise<void> {
    while (this.running > 0) {
      this.#ends.splice(0).forEach((end) => end());
      await settle();
    }
  }
}

Deno.test("one password is hashed at a time, and networks that wait are served in turn", async () => {
  const queue = new LoginQueue();
  const work = new HeldWork();
  const all = ["a", "a", "a", "a", "a", "b", "c"].map((network) => queue.run(network, work.of(network)));
  await work.endAll();
  await Promise.all(all);
  assertEquals(work.most, 1);
  assertEquals(work.served, ["a", "a", "b", "c", "a", "a", "a"]);
});

Deno.test("a network with many log-ins makes room for another one", async () => {
  const queue = new LoginQueue();
  const work = new HeldWork();
  const outcomes: string[] = [];
  const add = (network: string) =>
    queue.run(network, work.of(network)).then(() => "done", ({ code }: DomainError) => code)
      .then((outcome) => void outcomes.push(`${network} ${outcome}`));
  const all = ["a", "b", "c", "d"].flatMap((network) => Array.from({ length: 18 }, () => add(network)));
  await settle();
  assertEquals(outcomes.length, 72 - 1 - 31);
  all.push(add("home"));
  await settle();
  await work.endAll();
  await Promise.all(all);
  assertEquals(outcomes.filter((outcome) => outcome === "home done").length, 1);
  assertEquals(outcomes.filter((outcome) => outcome.endsWith("too_many_requests")).length, 41);
});

Deno.test("a network that has logged in before passes a crowd of other networks", async () => {
  const queue = new LoginQueue();
  const work = new HeldWork();
  queue.remember("home");
  const crowd = Array.from(
    { length: 70 },
    (_, n) => queue.run(`n${n}`, work.of(`n${n}`)).then(() => "done", ({ code }: DomainError) => code),
  );
  await settle();
  const strange = assertRejects(() => queue.run("new", work.of("new")), DomainError, "Too many log-ins");
  const home = queue.run("home", work.of("home"));
  await settle();
  await work.endAll();
  await Promise.all([home, strange]);
  assertEquals(work.served.slice(0, 2), ["n0", "home"]);
  const codes = await Promise.all(crowd);
  assertEquals(codes.filter((code) => code === "done").length, 31);
});

Deno.test("log-ins that wait are refused when the server stops", async () => {
  const queue = new LoginQueue();
  const work = new HeldWork();
  const running = queue.run("a", work.of("a"));
  const waiting = assertRejects(() => queue.run("a", work.of("a")), DomainError, "stopping");
  await settle();
  queue[Symbol.dispose]();
  await waiting;
  await work.endAll();
  await running;
});

Deno.test("a right password is accepted while another address has its log-ins refused", async () => {
  await using server = await startApp({ isProtected: true });
  const guesses = Array.from({ length: 500 }, (_, n) => {
    const header =
      basicHeader({ user: n % 2 ? "admin" : `user${n}`, password: `wrong${n}` })["authorization"];
    return Promise.try(() => server.auth.authenticate(header ?? "", "192.0.2.66"));
  });
  const refused = Promise.allSettled(guesses);
  assertEquals((await server.auth.authenticate(HEADER, "192.0.2.1")).user, "admin");
  const results = await refused;
  assertEquals(results.every(({ status }) => status === "rejected"), true);
  assertEquals((await server.auth.authenticate(`${HEADER} `, "192.0.2.1")).user, "admin");
});

Deno.test("log-ins of one IPv6 site share a limit", async () => {
  await using server = await startApp({ isProtected: true });
  const wrong = (n: number, address: string) => {
    const header = basicHeader({ user: "admin", password: `wrong${n}` })["authorization"] ?? "";
    return Promise.try(() => server.auth.authenticate(header, address)).then(() => "", ({ code }) => code);
  };
  for (let n = 0; n < 10; n++) assertEquals(await wrong(n, `2001:db8::${n}`), "unauthorized");
  assertEquals(await wrong(10, "2001:db8::ffff"), "too_many_requests");
  assertEquals(await wrong(10, "2001:db8:0:1::1"), "unauthorized");
});

Deno.test("each refused log-in is one line of the log with user, address and reason", async () => {
  const log: string[] = [];
  await using server = await startApp({ isProtected: true, log });
  const { token, secret } = await server.tokens.create("admin", {
    name: "gone",
    maxAgeMs: 1,
    extended: false,
  });
  await server.clock.advance(1);
  assertEquals(token.user, "admin");
  const cases: readonly (readonly [headers: Record<string, string>, user: string | undefined])[] = [
    [basicHeader({ user: "eve", password: "sesame" }), "eve"],
    [basicHeader({ user: `ad${"x".repeat(500)}`, password: "sesame" }), `ad${"x".repeat(198)}`],
    [bearerHeader(secret), "admin"],
    [bearerHeader("sluice_unknown"), undefined],
    [{ authorization: "Digest x" }, undefined],
  ];
  for (const [headers, user] of cases) {
    log.length = 0;
    await (await server.send("/api/v1/flows/search", { headers })).body?.cancel();
    const lines = log.map(parseLine).filter(({ message }) => message === "Refused a log-in");
    const reason = "Unauthorized: valid credentials are needed";
    assertEquals(lines.map(({ user, address, reason }) => ({ user, address, reason })), [
      { user, address: "192.0.2.1", reason },
    ]);
    assertEquals(log.some((line) => line.includes("sesame")), false);
  }
  log.length = 0;
  await (await server.send("/api/v1/flows/search")).body?.cancel();
  assertEquals(log.some((line) => line.includes("Refused a log-in")), false, "no log-in was tried");
});

Deno.test("PasswordHash.matches() accepts only the password", async () => {
  const hash = await PasswordHash.create("pässword", randomBytes, QUICK_HASH);
  for (const [password, expected] of [["pässword", true], ["password", false], ["", false]] as const) {
    assertEquals(await hash.matches(password), expected);
  }
  assertEquals(
    await (await PasswordHash.create("x", randomBytes)).matches("x"),
    true,
    "with production work",
  );
});

Deno.test("Caller.actorOf() returns one object per tenant", () => {
  const caller = new Caller({ user: "admin", role: "admin", tenants: ["acme"] });
  assertEquals(caller.actorOf("acme"), { tenant: "acme", user: "admin" });
  assertEquals(caller.actorOf("acme") === caller.actorOf("acme"), true);
  assertEquals([caller.isLimited, caller.canEnter("acme"), caller.canEnter("main")], [true, true, false]);
  const free = new Caller({ user: "a", role: "admin" });
  assertEquals([free.isLimited, free.canEnter("x")], [false, true]);
});
