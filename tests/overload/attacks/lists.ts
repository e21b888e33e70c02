/** Long lists of executions with large inputs. */
import { saveFlow, startFlow } from "../target.ts";
import { type Attack, repeat } from "./attack.ts";

const EXECUTIONS = 200;
const INPUT_CHARS = 1_000_000;
const WORKERS = 2;

/** Reads a page of all executions again and again. */
export const largeLists: Attack = {
  name: "lists",
  async prepare(target) {
    await saveFlow(target, "large", [
      "inputs: [{id: text, type: STRING}]",
      "tasks:",
      "  - {id: done, type: io.svc.plugin.core.debug.Return, format: done}",
    ]);
    const text = "x".repeat(INPUT_CHARS);
    for (let index = 0; index < EXECUTIONS; index++) await startFlow(target, "large", { text });
  },
  async run(settings, ready) {
    const { target, signal } = settings;
    ready();
    await repeat(settings, WORKERS, async () => {
      const url = `${target.url}/api/v1/main/executions/search?size=10000`;
      const response = await fetch(url, { headers: target.headers, signal });
      for await (const _ of response.body ?? []) continue;
      return String(response.status);
    });
  },
};
