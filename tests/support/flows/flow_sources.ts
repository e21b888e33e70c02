/** Flow sources for tests of other modules. */

/** A flow of the namespace `demo` with these tasks. */
export function flowSource(id: string, ...tasks: readonly string[]): string {
  return `id: ${id}\nnamespace: demo\ntasks:\n${tasks.join("")}`;
}

/** A task that logs a message; the source contains the message as JSON. */
export function logs(id: string, message = id, level = "INFO"): string {
  return taskSource(id, "core.log.Log", `message: ${JSON.stringify(message)}`, `level: ${level}`);
}

/** A task that sleeps. */
export function sleeps(id: string, duration: string): string {
  return taskSource(id, "core.flow.Sleep", `duration: ${duration}`);
}

/** A task with the side effect that the harness defines. */
export function effects(id: string): string {
  return taskSource(id, "harness.Effect");
}

/** A task with these lines; `type` without the common prefix. */
export function taskSource(id: string, type: string, ...lines: readonly string[]): string {
  return `  - ${[`id: ${id}`, `type: io.svc.plugin.${type}`, ...lines].join("\n    ")}\n`;
}
