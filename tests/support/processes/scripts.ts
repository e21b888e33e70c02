/** Scripts for tests of processes, without a flow. */
import type { AttemptIdentity } from "../../../src/model/executions/attempt_identity.ts";
import { systemClock } from "../../../src/base/time/clock.ts";
import { ContainerHost } from "../../../src/machine/scripts/container_host.ts";
import type { ProcessCommand } from "../../../src/model/ports/processes.ts";

/** An attempt that runs a script. */
export const ATTEMPT: AttemptIdentity = {
  tenant: "main",
  namespace: "demo",
  flowId: "f",
  flowRevision: 1,
  executionId: "e",
  taskId: "t",
  taskRunId: "r",
  attemptNumber: 1,
};

/** Containers of a server that looks for no runtime. */
export function noContainers(): ContainerHost {
  return new ContainerHost({ clock: systemClock, env: {} });
}

/** A shell script whose process is never aborted. */
export function shellScript(
  script: string,
  rest: Partial<ProcessCommand> & Pick<ProcessCommand, "onLine">,
): ProcessCommand {
  return {
    command: ["/bin/sh", "-c", script],
    workingDirectory: "/tmp",
    env: new Map(),
    place: { type: "process" },
    signal: new AbortController().signal,
    ...rest,
  };
}
