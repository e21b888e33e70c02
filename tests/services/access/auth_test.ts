import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import { Auth } from "../../../src/services/access/auth.ts";
import { Caller } from "../../../src/services/access/caller.ts";
import { LoginLimiter } from "../../../src/services/access/login_limiter.ts";
import { PasswordHash } from "../../../src/services/access/password.ts";
import { ADMIN, basicHeader, bearerHeader, QUICK_HASH, startApp } from "../../http/app_under_test.ts";

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

Deno.test("Auth.setCredentials() drops verified credentials", async () => {
  await using server = await startApp({ isProtected: true });
  const { auth } = server;
  await auth.authenticate(HEADER, "192.0.2.1");
  const underWay = Promise.resolve(auth.authenticate(`${HEADER} `, "192.0.2.1"));
  await Promise.allSettled([underWay, auth.setCredentials({ user: "admin", password: "changed" })]);
  for (const header of [HEADER, `${HEADER} `]) assertEquals(auth.known(header), undefined);
  await assertRejects(async () => await auth.authenticate(HEADER, "192.0.2.1"), DomainError, "Unauthorized");
  const changed = basicHeader({ user: "admin", password: "changed" })["authorization"] ?? "";
  assertEquals((await auth.authenticate(changed, "192.0.2.1")).user, "admin");
});

Deno.test("Auth.setCredentials() refuses invalid names and passwords", async () => {
  await using server = await startApp({ isProtected: true });
  const bad = [["", "x"], ["a:b", "x"], ["anonymous", "x"], ["admin", ""]];
  for (const [user = "", password = ""] of bad) {
    assertThrows(
      () => server.auth.setCredentials({ user, password }),
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
  assertEquals(codes.filter((code) => code === "unauthorized").length, 64);
  assertEquals(codes.filter((code) => code === "too_many_requests").length, 6);
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

Deno.test("Auth.authenticate() refuses every caller before start()", async () => {
  await using server = await startApp();
  const { tokens, clock } = server;
  const { silentLogger } = await import("../../../src/base/log.ts");
  const logger = silentLogger(clock);
  const auth = new Auth({ basic: ADMIN, tokens, clock, logger, randomBytes, hashWork: QUICK_HASH });
  assertEquals(auth.isProtected, true);
  assertThrows(() => auth.authenticate(HEADER, "192.0.2.1"), DomainError, "Unauthorized");
});

Deno.test("LoginLimiter.attempt() limits a user at an address, and an address with any users", () => {
  const limiter = new LoginLimiter();
  for (let n = 0; n < 10; n++) limiter.attempt("admin", "a", 0);
  assertThrows(() => limiter.attempt("admin", "a", 59_999), DomainError, "Too many");
  limiter.attempt("admin", "b", 0);
  limiter.attempt("other", "a", 0);
  limiter.attempt("admin", "a", 60_000);
  for (let n = 0; n < 100; n++) limiter.attempt(`user${n}`, "c", 0);
  const error = assertThrows(() => limiter.attempt("user100", "c", 30_500), DomainError, "Too many");
  assertEquals(error.retryAfter, 30);
});

Deno.test("LoginLimiter.forgive() resets the failures after a success", () => {
  const limiter = new LoginLimiter();
  for (let round = 0; round < 30; round++) {
    for (let n = 0; n < 3; n++) limiter.attempt("admin", "a", 0);
    limiter.forgive("admin", "a");
  }
  for (let n = 0; n < 10; n++) limiter.attempt("admin", "a", 0);
  assertThrows(() => limiter.attempt("admin", "a", 0), DomainError, "Too many");
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
  const caller = new Caller("admin", ["acme"]);
  assertEquals(caller.actorOf("acme"), { tenant: "acme", user: "admin" });
  assertEquals(caller.actorOf("acme") === caller.actorOf("acme"), true);
  assertEquals([caller.isLimited, caller.canEnter("acme"), caller.canEnter("main")], [true, true, false]);
  assertEquals([new Caller("a").isLimited, new Caller("a").canEnter("x")], [false, true]);
});
