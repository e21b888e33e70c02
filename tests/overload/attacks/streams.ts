/** Event streams that are not read. */
import { ask, NAMESPACE, saveFlow } from "../target.ts";
import { type Attack, untilAborted } from "./attack.ts";

const STREAMS = 1_000;

/** Follows one execution many times. */
export const eventStreams: Attack = {
  name: "streams",
  async prepare(target) {
    await saveFlow(target, "waits", ["tasks:", "  - {id: pause, type: io.svc.plugin.core.flow.Pause}"]);
  },
  async run({ target, signal, report }, ready) {
    const { id } = JSON.parse(await ask(target, "POST", `/executions/${NAMESPACE}/waits`));
    const statuses = new Map<number, number>();
    for (let index = 0; index < STREAMS && !signal.aborted; index++) {
      const url = `${target.url}/api/v1/main/executions/${id}/follow`;
      const response = await fetch(url, { headers: target.headers, signal });
      if (!response.ok) await response.body?.cancel();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      report([...statuses].map(([status, count]) => `${count} × ${status}`).join(", "));
    }
    ready();
    await untilAborted(signal);
  },
};
