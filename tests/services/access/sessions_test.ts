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
  const values = Array.from({ length: 10_001 }, () => sessions.open(ANNA));
  assertEquals(new Set(values).size, 10_001);
  assertEquals([0, 1, 10_000].map((index) => sessions.find(values[index] ?? "")), [undefined, ANNA, ANNA]);
});
