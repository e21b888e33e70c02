/** What tasks may do outside themselves. Each port is one noun in `model/ports/`; `server/task_ports.ts` says who serves it. */

/** All ports. */
// deno-lint-ignore no-empty-interface
export interface TaskPorts {
}
