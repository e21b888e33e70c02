import { assert, assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import type { FirstUser, FirstUserRequest } from "../../../src/services/access/first_user.ts";
import { type AppUnderTest, basicHeader, parseLine, startApp } from "../../http/app_under_test.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";

const LOCAL: FirstUserRequest = {
  user: "anna@example.org",
  password: "correct:horse",
  isLocal: true,
  address: "127.0.0.1",
};
const HEADER = basicHeader(LOCAL)["authorization"] ?? "";

function firstUserOf({ firstUser }: AppUnderTest): FirstUser {
  assert(firstUser);
  return firstUser;
}

async function codeOf(work: () => Promise<void>): Promise<string> {
  return (await assertRejects(work, DomainError)).code;
}

Deno.test("FirstUser.setUp() sets the user once, who can log in at once and after a restart", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const log: string[] = [];
  {
    await using server = await startApp({ isUserStored: true, store, clock, log });
    const firstUser = firstUserOf(server);
    assertEquals([firstUser.isOpen, server.users.firstName], [true, undefined]);
    await assertRejects(async () => await server.auth.authenticate(HEADER, "192.0.2.1"), DomainError);
    await firstUser.setUp(LOCAL);
    assertEquals([firstUser.isOpen, firstUser.token, server.users.firstName], [false, undefined, LOCAL.user]);
    assertEquals((await server.auth.authenticate(HEADER, "192.0.2.1")).user, LOCAL.user);
    assertEquals(await codeOf(() => firstUser.setUp({ ...LOCAL, user: "eve" })), "conflict");
  }
  const { message, user, address } = parseLine(log.find((line) => line.includes("first user")));
  assertEquals([message, user, address], ["The first user is set", LOCAL.user, LOCAL.address]);
  assertEquals(log.some((line) => line.includes(LOCAL.password)), false);
  await using later = await startApp({ isUserStored: true, store: store.reopen(clock), clock });
  assertEquals([firstUserOf(later).isOpen, later.users.firstName], [false, LOCAL.user]);
  assertEquals((await later.auth.authenticate(HEADER, "192.0.2.1")).user, LOCAL.user);
});

Deno.test("FirstUser.setUp() admits others with the token alone", async () => {
  const log: string[] = [];
  await using server = await startApp({ isUserStored: true, log });
  const firstUser = firstUserOf(server);
  const remote = { ...LOCAL, isLocal: false, address: "192.0.2.1" };
  const token = firstUser.token ?? "";
  assertEquals(/^[0-9a-f]{32}$/.test(token), true);
  for (const wrong of [undefined, "", "x", token.slice(1), `${token}0`]) {
    assertEquals(await codeOf(() => firstUser.setUp({ ...remote, token: wrong })), "forbidden");
  }
  assertEquals(log.filter((line) => line.includes("Refused to set the first user")).length, 5);
  assertEquals(log.some((line) => line.includes(token)), false);
  await firstUser.setUp({ ...remote, token });
  assertEquals(await codeOf(() => firstUser.setUp({ ...remote, token })), "conflict");
});

Deno.test("FirstUser.setUp() accepts one of two concurrent requests", async () => {
  await using server = await startApp({ isUserStored: true });
  const firstUser = firstUserOf(server);
  const results = await Promise.allSettled([
    firstUser.setUp(LOCAL),
    firstUser.setUp({ ...LOCAL, user: "eve" }),
  ]);
  assertEquals(results.map(({ status }) => status), ["fulfilled", "rejected"]);
  assertEquals(server.users.firstName, LOCAL.user);
});

const REFUSED: readonly (readonly [what: string, change: Partial<FirstUserRequest>])[] = [
  ["an empty name", { user: "" }],
  ["a name with a colon", { user: "a:b" }],
  ["the name of callers without credentials", { user: "anonymous" }],
  ["a name with a line break", { user: "a\nb" }],
  ["a long name", { user: "a".repeat(257) }],
  ["a short password", { password: "1234567" }],
  ["a long password", { password: "a".repeat(257) }],
];
for (const [what, change] of REFUSED) {
  Deno.test(`FirstUser.setUp() refuses ${what}, and stays open`, async () => {
    await using server = await startApp({ isUserStored: true });
    const firstUser = firstUserOf(server);
    assertEquals(await codeOf(() => firstUser.setUp({ ...LOCAL, ...change })), "invalid_entity");
    assertEquals(firstUser.isOpen, true);
    await firstUser.setUp(LOCAL);
  });
}
