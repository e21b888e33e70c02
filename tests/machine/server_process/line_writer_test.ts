import { assertEquals } from "@std/assert";
import { LineWriter } from "../../../src/machine/server_process/line_writer.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

function setUp(most = Infinity) {
  const clock = new FakeClock();
  const written: string[] = [];
  const writer = new LineWriter({
    writeSync(bytes) {
      const part = bytes.subarray(0, most);
      written.push(new TextDecoder().decode(part));
      return part.length;
    },
  }, clock);
  return { clock, writer, written };
}

Deno.test("LineWriter collects lines and writes them together after a moment", async () => {
  const { clock, writer, written } = setUp();
  writer.write("a", "info");
  writer.write("b", "debug");
  assertEquals(written, []);
  await clock.advance(50);
  assertEquals(written, ["a\nb\n"]);
  assertEquals(clock.timerCount, 0);
});

Deno.test("LineWriter writes at once what says that something is wrong, and what came before", () => {
  const { writer, written } = setUp();
  writer.write("a", "info");
  writer.write("b", "error");
  assertEquals(written, ["a\nb\n"]);
});

Deno.test("LineWriter writes on until the stream has taken everything", () => {
  const { writer, written } = setUp(2);
  writer.write("abcde", "warn");
  assertEquals(written, ["ab", "cd", "e\n"]);
});

Deno.test("LineWriter survives a reader that has gone away", () => {
  const gone = Object.assign(new Error("gone"), { name: "BrokenPipe" });
  const writer = new LineWriter({
    writeSync() {
      throw gone;
    },
  }, new FakeClock());
  writer.write("a", "error");
});
