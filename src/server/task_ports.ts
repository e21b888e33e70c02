/** Serves the ports of tasks by services. */
import type { Clock } from "../base/clock.ts";
import type { TaskPorts } from "../model/ports/task_ports.ts";
import { createCoreTaskPorts } from "./core_task_ports.ts";
import type { Platform } from "./platform.ts";
import type { Services } from "./services.ts";
import { createTaskTypePort } from "../runtime/attempts/task_type_port.ts";

/** The ports. */
export function createTaskPorts(services: Services, platform: Platform, clock: Clock): TaskPorts {
  const { http, processes, workingDirectories } = platform;
  const { inputCipher } = services;
  return {
    http,
    processes,
    workingDirectories,
    cipher: {
      seal: ({ tenant, namespace, flowId: id }, text) => inputCipher.seal({ tenant, namespace, id }, text),
    },
    storage: services.attemptStorage,
    namespaceFiles: services.attemptNamespaceFiles,
    itemExecutions: services.itemExecutions,
    flowCaches: services.flowCaches,
    taskTypes: createTaskTypePort(services.tasks, clock),
    ...createCoreTaskPorts(services),
  };
}
