import { assertEquals } from "@std/assert";
import { SESSION_IDLE_MS, SESSION_MAX_MS } from "../../../src/model/limits.ts";
import { Caller } from "../../../src/services/access/caller.ts";
import { Sessions } from "../../../src/services/access/sessions.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

const ANNA = new Caller({ user: "anna", role: "admin" });

function create() {
  const clock = new FakeClock();
  let count = 0;
  const sessions = new Sessions(clock, (bytes) => void new DataView(bytes.buffer).setUint32(0, count++));
  return { clock, sessions };
}

Deno.test("Sessions.find() prolongs a session that is used", async () => {
  const { clock, sessions } = create();
  const value = sessions.open(ANNA);
  for (let use = 0; use < 3; use++) {
    await clock.advance(SESSION_IDLE_MS - 1);
    assertEquals(sessions.find(value), ANNA);
  }
  await clock.advance(SESSION_IDLE_MS);
  assertEquals(sessions.find(value), undefined);
});

Deno.test("Sessions.find() ends a session a week after its log-in, however it is used", async () => {
  const { clock, sessions } = create();
  const value = sessions.open(ANNA);
  const step = SESSION_IDLE_MS / 2;
  for (let past = step; past < SESSION_MAX_MS; past += step) {
    await clock.advance(step);
    assertEquals(sessions.find(value), ANNA);
  }
  await clock.advance(step);
  assertEquals(sessions.find(value), undefined);
});

Deno.test("Sessions.close() ends one session", () => {
  const { sessions } = create();
  const values = [sessions.open(ANNA), sessions.open(ANNA), sessions.open(ANNA)];
  sessions.close(values[1] ?? "");
  assertEquals(values.map((value) => sessions.find(value)), [ANNA, undefined, ANNA]);
});

Deno.test("Sessions.open() ends the oldest of 10,000 sessions", () => {
  const { sessions } = create();
  const callers = Array.from({ length: 51 }, (_, n) => new Caller({ user: `u${n}`, role: "viewer" }));
  const values = Array.from({ length: 10_001 }, (_, n) => sessions.open(callers[n % 51] ?? ANNA));
  assertEquals(new Set(values).size, 10_001);
  const found = [0, 1, 10_000].map((index) => sessions.find(values[index] ?? "")?.user);
  assertEquals(found, [undefined, "u1", "u4"]);
});

Deno.test("Sessions.open() ends the oldest of 200 sessions of a user, and never one of another user", () => {
  const { sessions } = create();
  const other = sessions.open(new Caller({ user: "bert", role: "admin" }));
  const values = Array.from({ length: 20_000 }, () => sessions.open(ANNA));
  assertEquals(sessions.find(other)?.user, "bert");
  assertEquals(values.filter((value) => sessions.find(value)).length, 200);
  assertEquals(sessions.find(values.at(-200) ?? ""), ANNA);
});
