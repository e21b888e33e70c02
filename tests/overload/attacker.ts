/** The process of one attack: `attacker.ts <attack> <url> <connections> <seconds>`. It ends by itself after the time. */
import { ATTACKS } from "./attacks/all.ts";
import { targetAt } from "./target.ts";

/** The line that says that the attack is at its height. */
export const READY = "READY";
/** Begins a line with what the attack has done. */
export const REPORT = "REPORT ";

const REPORT_INTERVAL_MS = 500;

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

async function run([name, url = "", connections, seconds]: readonly string[]): Promise<void> {
  const attack = ATTACKS.find((each) => each.name === name);
  if (!attack) throw new Error(`There is no attack "${name}"`);
  const end = new AbortController();
  let latest = "";
  const timers = [
    setInterval(() => print(REPORT + latest), REPORT_INTERVAL_MS),
    setTimeout(() => end.abort(), Number(seconds) * 1_000),
  ];
  const settings = {
    target: targetAt(url),
    connections: Number(connections),
    report: (text: string) => latest = text,
    signal: end.signal,
  };
  try {
    await attack.run(settings, () => print(READY));
  } catch (error) {
    if (!end.signal.aborted) throw error;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    print(REPORT + latest);
  }
}

if (import.meta.main) {
  await run(Deno.args);
  Deno.exit(0);
}
