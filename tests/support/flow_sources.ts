/** Sources of flows for tests that are not about the source. */

/** A flow of the namespace `demo` with these tasks. */
export function flowSource(id: string, ...tasks: readonly string[]): string {
  return `id: ${id}\nnamespace: demo\ntasks:\n${tasks.join("")}`;
}

/** A task that logs a message, which stands in the source as JSON. */
export function logs(id: string, message = id, level = "INFO"): string {
  return taskSource(id, "core.log.Log", `message: ${JSON.stringify(message)}`, `level: ${level}`);
}

/** A task that sleeps. */
export function sleeps(id: string, duration: string): string {
  return taskSource(id, "core.flow.Sleep", `duration: ${duration}`);
}

/** A task that does what the harness is told, as an effect outside. */
export function effects(id: string): string {
  return taskSource(id, "harness.Effect");
}

/** A task with these lines; the type without what all types begin with. */
export function taskSource(id: string, type: string, ...lines: readonly string[]): string {
  return `  - ${[`id: ${id}`, `type: io.svc.plugin.${type}`, ...lines].join("\n    ")}\n`;
}
