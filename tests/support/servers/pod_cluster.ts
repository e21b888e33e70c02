/**
 * A cluster of Kubernetes with one pod, as its API shows it. Commands in containers are programs of this machine, with a folder in
 * place of `/kestra`. Shapes are those of https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/.
 */
import type { JsonObject } from "../../../src/base/json.ts";

/** What a response shows of a pod after each reading. */
export type PodStatus = JsonObject;

/** How the pod behaves. */
export interface PodScript {
  /** Statuses of the pod, one for each reading; the last one stays. */
  readonly statuses: readonly PodStatus[];
  /** The log by container, with times. */
  readonly logs?: Readonly<Record<string, string>>;
  /** In place of what the API would respond. */
  readonly reply?: (request: Request) => Response | undefined | Promise<Response | undefined>;
  /** Pods of the attempt that exist before. */
  readonly existing?: readonly JsonObject[];
}

const POD = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)(\/log|\/exec)?$/;

/** Listens on a free port until it is disposed of. */
export class PodCluster implements AsyncDisposable {
  /** `METHOD path?query` of each request but readings of the pod and of its logs. */
  readonly calls: string[] = [];
  /** What was created. */
  readonly created: JsonObject[] = [];
  /** Queries of readings of logs. */
  readonly logQueries: string[] = [];
  /** Resolves when the pod has been read for the first time. */
  readonly whenRead: Promise<void>;
  readonly #read = Promise.withResolvers<void>();
  readonly #script: PodScript;
  readonly #folder: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #programs = new Set<Promise<unknown>>();
  #turn = 0;

  /** `folder`: what the containers have as `/kestra`. */
  constructor(folder: string, script: PodScript) {
    this.#folder = folder;
    this.#script = script;
    this.whenRead = this.#read.promise;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => this.#reply(request),
    );
  }

  /** The property `connection` of tasks. */
  get connection(): JsonObject {
    return { masterUrl: `http://127.0.0.1:${this.#server.addr.port}`, oauthToken: "t", namespace: "jobs" };
  }

  /** Host and port. */
  get host(): string {
    return `127.0.0.1:${this.#server.addr.port}`;
  }

  async #reply(request: Request): Promise<Response> {
    const { pathname, search, searchParams } = new URL(request.url);
    const [, , name = "", part = ""] = POD.exec(pathname) ?? [];
    const isReading = request.method === "GET" && name !== "" && part !== "/exec";
    if (!isReading) this.calls.push(`${request.method} ${pathname}${search}`);
    const given = await this.#script.reply?.(request);
    if (given) return given;
    if (request.headers.get("authorization") !== "Bearer t") return refusal(401, "Unauthorized");
    if (part === "/log") return this.#log(searchParams);
    if (part === "/exec") return this.#execute(request, searchParams);
    if (pathname.endsWith("/events")) {
      return Response.json({ items: [{ reason: "BackOff", message: "restarting failed container" }] });
    }
    if (request.method === "POST") {
      const manifest = await request.json();
      this.created.push(manifest);
      return Response.json(manifest, { status: 201 });
    }
    if (name === "") return Response.json({ items: this.#script.existing ?? [] });
    if (request.method === "DELETE") return Response.json({ kind: "Pod" });
    this.#read.resolve();
    const { statuses } = this.#script;
    const status = statuses[Math.min(this.#turn++, statuses.length - 1)];
    return Response.json({ metadata: { name, uid: "u1", managedFields: [] }, status });
  }

  /** Lines from the whole second `sinceTime` on. */
  #log(query: URLSearchParams): Response {
    this.logQueries.push(query.toString());
    const text = this.#script.logs?.[query.get("container") ?? ""];
    if (text === undefined) return refusal(400, "container is waiting to start");
    const since = query.get("sinceTime")?.slice(0, 19) ?? "";
    return new Response(text.split("\n").filter((line) => line.slice(0, 19) >= since).join("\n"));
  }

  #execute(request: Request, query: URLSearchParams): Response {
    const { socket, response } = Deno.upgradeWebSocket(request, { protocol: "v4.channel.k8s.io" });
    socket.binaryType = "arraybuffer";
    const words = query.getAll("command").map((word) => word.replaceAll("/kestra", this.#folder));
    const program = new Deno.Command(words[0] ?? "", {
      args: words.slice(1),
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const input = program.stdin.getWriter();
    socket.onmessage = ({ data }) => {
      const bytes = new Uint8Array(data as ArrayBuffer);
      // A program that has what it needs closes its input.
      if (bytes[0] === 0) input.write(bytes.slice(1)).catch(() => {});
    };
    socket.onopen = () => {
      const work = this.#serve(program, socket).finally(() => input.close().catch(() => {}));
      this.#programs.add(work);
    };
    return response;
  }

  async #serve(program: Deno.ChildProcess, socket: WebSocket): Promise<void> {
    const closed = new Promise((resolve) => socket.onclose = resolve);
    const send = async (channel: number, stream: ReadableStream<Uint8Array>) => {
      for await (const chunk of stream) socket.send(new Uint8Array([channel, ...chunk]));
    };
    await Promise.all([send(1, program.stdout), send(2, program.stderr)]);
    const { code } = await program.status;
    const status = code === 0
      ? { status: "Success" }
      : { status: "Failure", message: `command terminated with non-zero exit code: exit status ${code}` };
    socket.send(new Uint8Array([3, ...new TextEncoder().encode(JSON.stringify(status))]));
    await closed;
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#programs);
    await this.#server.shutdown();
  }
}

/** A refusal of the API. */
export function refusal(code: number, message: string): Response {
  return Response.json({ kind: "Status", status: "Failure", message, code }, { status: code });
}
