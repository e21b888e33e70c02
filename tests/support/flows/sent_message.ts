/** Runs tasks that post messages, against a local server in place of the service. */
import { isJsonObject, type JsonObject, tryParseJson } from "../../../src/base/json.ts";
import { type ExecutionResponse, Harness } from "../harness.ts";
import { answer, MisbehavingServer } from "../servers/misbehaving_server.ts";

/** What a task sent, and how its execution ended. */
export interface Sent {
  readonly execution: ExecutionResponse;
  readonly head: string;
  /** Empty if the body is no JSON object. */
  readonly body: JsonObject;
  readonly text: string;
  readonly count: number;
  /** Messages of level ERROR. */
  readonly errors: readonly string[];
}

/** Runs one task whose text may hold URL, the address of the webhook with its secret path, and HOST, its host. */
export async function send(task: string, response = answer(200, "ok")): Promise<Sent> {
  await using server = new MisbehavingServer(() => response);
  await using app = await Harness.start({ baseUrl: "https://flows.example.com" });
  const url = `${server.url}/services/T0/B0/hidden`;
  await app.save(
    `id: h\nnamespace: demo\ntasks:\n- {id: s, ${
      task.replaceAll("URL", url).replaceAll("HOST", server.url.slice(7))
    }}`,
  );
  const { id } = await app.start("h", {}, "?wait=true");
  const logs = await app.json("GET", `/logs/${id}`) as unknown as readonly {
    level: string;
    message: string;
  }[];
  const [request] = server.requests;
  const body = tryParseJson(request?.body ?? "") ?? null;
  return {
    execution: await app.execution(id),
    head: request?.head ?? "",
    body: isJsonObject(body) ? body : {},
    text: request?.body ?? "",
    count: server.requests.length,
    errors: logs.filter(({ level }) => level === "ERROR").map(({ message }) =>
      message.replaceAll(server.url.slice(7), "HOST")
    ),
  };
}
