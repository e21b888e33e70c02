/** The logs of the containers of a pod, read in turns: a turn continues after the last line of the one before. */
import type { JsonObject } from "../../base/json.ts";
import type { ProgramLines, ServerTaskContext } from "../../model/tasks/server_task.ts";
import { linesOf } from "../row_files.ts";
import type { Cluster } from "./cluster.ts";
import { firstContainers, taskContainers } from "./pod_state.ts";

/** The API gives a time of fixed length before each line. */
const LINE = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) (.*)$/s;

/** The last line that was read. */
interface LogPosition {
  readonly time: string;
  /** Lines with that time. */
  readonly count: number;
}

/** Reads the logs of one pod. */
export class PodLogs {
  readonly #context: Pick<ServerTaskContext, "httpStream" | "log">;
  readonly #cluster: Cluster;
  readonly #path: string;
  readonly #lines: ProgramLines;
  readonly #positions = new Map<string, LogPosition>();
  /** When the containers ended whose logs were read after that. */
  readonly #ended = new Map<string, unknown>();

  constructor(
    context: Pick<ServerTaskContext, "httpStream" | "log" | "programLines">,
    cluster: Cluster,
    path: string,
  ) {
    this.#context = context;
    this.#cluster = cluster;
    this.#path = path;
    this.#lines = context.programLines();
  }

  /** Outputs of control lines. */
  get vars(): JsonObject {
    return this.#lines.vars;
  }

  /** Logs the new lines of the containers that have started; the last turn reads those that have ended once more. */
  async read(pod: JsonObject, { isLast = false } = {}): Promise<boolean> {
    let isNew = false;
    for (const { name, hasStarted, terminated } of [...firstContainers(pod), ...taskContainers(pod)]) {
      const isRead = terminated !== undefined && this.#ended.get(name) === terminated.finishedAt;
      if (!hasStarted || isRead && !isLast) continue;
      isNew = await this.#readContainer(name) || isNew;
      if (terminated) this.#ended.set(name, terminated.finishedAt);
    }
    return isNew;
  }

  async #readContainer(container: string): Promise<boolean> {
    const before = this.#positions.get(container);
    const { status, body } = await this.#context.httpStream(
      this.#cluster.requestOf({
        path: `${this.#path}/log`,
        query: { container, timestamps: "true", ...before && { sinceTime: secondOf(before.time) } },
        operation: `read the log of "${container}"`,
      }),
    );
    if (status !== 200) {
      await body.cancel();
      this.#context.log("DEBUG", `The log of the container "${container}" cannot be read: ${status}`);
      return false;
    }
    let { time = "", count = 0 } = before ?? {};
    let sameTime = 0;
    for await (const line of linesOf(body.pipeThrough(new TextDecoderStream()))) {
      const [, at = "", text = ""] = LINE.exec(line) ?? [];
      if (at < time) continue;
      if (at === before?.time && ++sameTime <= before.count) continue;
      count = at === time ? count + 1 : 1;
      time = at;
      await this.#lines.take({ text, isError: false });
    }
    this.#positions.set(container, { time, count });
    return time !== (before?.time ?? "") || count !== (before?.count ?? 0);
  }
}

/** The API counts whole seconds. */
function secondOf(time: string): string {
  return time.replace(/\.\d+/, "");
}
