/** The context of a task that is tried without a server. */
import { systemClock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { HttpClient } from "../../machine/http_client/http_client.ts";
import type { TaskContext } from "../../model/tasks/task_definition.ts";
import { connectAddress, sendRequest } from "../../tasks/definition/send_request.ts";
import { secureRandom } from "../../machine/secure_random.ts";

/** A context with a folder that is removed at the end. */
interface Trial extends AsyncDisposable {
  readonly context: TaskContext;
}

/** Log lines and metrics are printed. Storage URIs are paths of local files. */
export function trialContext(properties: JsonObject, print: (line: string) => void): Trial {
  const http = new HttpClient({ clock: systemClock, random: secureRandom, userAgent: "sluice-plugin-test" });
  const { signal } = new AbortController();
  let made: Promise<string> | undefined;
  const directory = () => made ??= Deno.makeTempDir({ prefix: "sluice-plugin-" });
  const context: TaskContext = {
    attempt: {
      tenant: "main",
      namespace: "trial",
      flowId: "trial",
      executionId: "trial",
      taskId: "trial",
      taskRunId: "trial",
      attemptNumber: 1,
    },
    properties,
    signal,
    log: (level, message) => print(`${level} ${message}`),
    metric: (name, value) => print(`metric ${name} = ${value}`),
    http: (request) => sendRequest(request, { http, signal, directory }),
    connectAddress: (host, port) => connectAddress(host, port, { http, signal }),
    directory,
    async fetchFile(path) {
      const copy = `${await directory()}/${path.slice(path.lastIndexOf("/") + 1)}`;
      await Deno.copyFile(path.replace(/^file:\/\//, ""), copy);
      return copy;
    },
    async bodyOf(path) {
      const bodyFile = await this.fetchFile(path);
      return { bodyFile, size: (await Deno.stat(bodyFile)).size };
    },
    async storeFile(path) {
      const { size } = await Deno.stat(path);
      print(`stored ${path} (${size} bytes)`);
      return `sluice:///trial/${path.slice(path.lastIndexOf("/") + 1)}`;
    },
    execution: () => Promise.reject(new Error("Cannot read an execution without a server")),
  };
  return {
    context,
    async [Symbol.asyncDispose]() {
      if (made) await Deno.remove(await made, { recursive: true });
    },
  };
}
