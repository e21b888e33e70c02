/** Serves the ports of tasks by services. */
import type { TaskPorts } from "../model/task_ports.ts";
import type { Services } from "./services.ts";

/** The ports. */
export function createTaskPorts(_services: Services): TaskPorts {
  return {};
}
