import { assertEquals } from "@std/assert";
import { Logger } from "../../src/base/log.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";

function linesOf(format: "text" | "json", write: (logger: Logger) => void): string[] {
  const lines: string[] = [];
  write(
    new Logger({ level: "info", format, clock: new FakeClock(), write: (line) => void lines.push(line) }),
  );
  return lines;
}

Deno.test("Logger writes text lines with their fields and omits less severe lines", () => {
  const lines = linesOf("text", (logger) => {
    logger.info("Request", { path: "/a b", status: 200, none: undefined });
    logger.debug("detail");
  });
  assertEquals(lines, ['2026-01-15T10:30:00.000Z INFO  Request path="/a b" status=200']);
});

Deno.test("Logger writes one JSON object per line", () => {
  const [line = ""] = linesOf("json", (logger) => logger.warn("odd", { n: 1 }));
  assertEquals(JSON.parse(line), { time: "2026-01-15T10:30:00.000Z", level: "warn", message: "odd", n: 1 });
});

Deno.test("Logger escapes line breaks, so that no line can be forged", () => {
  const [line = ""] = linesOf("text", (logger) => logger.error("a\nb", { path: "x\r\ny" }));
  assertEquals(line.includes("\n") || line.includes("\r"), false);
});

Deno.test("repeated() writes a message once a minute, with the number of lines that were left out", () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const logger = new Logger({ level: "info", format: "text", clock, write: (line) => lines.push(line) });
  for (let second = 0; second < 120; second++, clock.jump(1_000)) {
    logger.repeated("warn", "It waits", { execution: second });
    if (second === 30) logger.repeated("error", "It fails");
  }
  assertEquals(lines.map((line) => line.slice(25)), [
    "WARN  It waits execution=0",
    "ERROR It fails",
    "WARN  It waits execution=60 omitted=59",
  ]);
});
