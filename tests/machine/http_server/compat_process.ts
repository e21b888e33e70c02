/** A server of the port for upgrades in a process of its own, whose timers take a hundredth of their time; prints its port. */
import { Logger } from "../../../src/base/log.ts";
import { type Clock, systemClock } from "../../../src/base/time/clock.ts";
import { startCompatServer } from "../../../src/machine/http_server/compat_server.ts";

const clock: Clock = {
  ...systemClock,
  setTimer: (ms, onDue) => systemClock.setTimer(ms / 100, onDue),
};
const logger = new Logger({ level: "info", format: "text", clock, write: () => {} });
// As in a server. Deno itself fails when it begins to listen for signals without a descriptor left.
Deno.addSignalListener("SIGTERM", () => Deno.exit());
const server = await startCompatServer({
  ...{ hostname: "127.0.0.1", port: 0, clock, logger, handler: () => new Response("served") },
  limits: { maxConnections: 1_000, maxConnectionsPerAddress: 1_000, idleMs: 7_500_000 },
});
Deno.stdout.writeSync(new TextEncoder().encode(`${server.addr.port}\n`));
