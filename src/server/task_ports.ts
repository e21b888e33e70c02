/** Serves the ports of tasks by services. */
import type { TaskPorts } from "../model/task_ports.ts";
import { createCoreTaskPorts } from "./core_task_ports.ts";
import type { Platform } from "./platform.ts";
import type { Services } from "./services.ts";

/** The ports. */
export function createTaskPorts(services: Services, platform: Platform): TaskPorts {
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
    ...createCoreTaskPorts(services),
  };
}
