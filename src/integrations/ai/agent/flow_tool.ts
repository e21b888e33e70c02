/** Starts flows by the API of a server of this language. */
import { isJsonObject, type JsonObject, objectsOf, stringifyJson, tryParseJson } from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";
import { publicTenantId } from "../../../model/access/tenant.ts";
import { basicCredentials } from "../../../model/http/http_request.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import { callRepeatedly, refusalOf } from "../../http_calls.ts";
import { textIn, urlOf } from "../models/model_calls.ts";
import { objectSchema, type ToolOpener, toolsOf } from "./tool.ts";

const INPUTS: JsonObject = {
  type: "array",
  description: "Inputs of the flow.",
  items: objectSchema({ id: { type: "string" }, value: { type: "string" } }, ["id", "value"]),
};

/** A flow that is named, or any flow that the model names. */
export const openFlowTool: ToolOpener = async (context, part) => {
  const namespace = optionalText(part.namespace), flowId = optionalText(part.flowId);
  if ((namespace === undefined) !== (flowId === undefined)) {
    throw new Error("The tool KestraFlow must have both namespace and flowId, or neither");
  }
  const server = new FlowServer(context, part);
  if (namespace === undefined || flowId === undefined) {
    const names = { namespace: { type: "string" }, flowId: { type: "string" } };
    return toolsOf({
      type: String(part.type),
      name: "kestra_flow",
      description: optionalText(part.description) ??
        "Starts a flow by its namespace and id. Returns the new execution.",
      parameters: objectSchema({ ...names, inputs: INPUTS }, ["namespace", "flowId"]),
      run: async (given) => await server.start(String(given.namespace), String(given.flowId), given),
    });
  }
  const flow = await server.flow(namespace, flowId);
  const description = optionalText(part.description) ?? textIn(flow.description);
  if (description === undefined) {
    throw new Error(
      `The tool KestraFlow needs a description: the flow "${namespace}.${flowId}" has none either`,
    );
  }
  return toolsOf({
    type: String(part.type),
    name: `kestra_flow_${namespace}_${flowId}`.replaceAll(/[^\w-]/g, "_"),
    description: `${description}\n${inputsText(flow)}`.trim(),
    parameters: objectSchema({ inputs: INPUTS }, []),
    run: async (given) => await server.start(namespace, flowId, given),
  });
};

function inputsText({ inputs }: JsonObject): string {
  const lines = objectsOf(inputs).map(({ id, type, required, description }) =>
    `- ${id}: ${type}${required === false ? "" : ", required"}${description ? `, ${description}` : ""}`
  );
  return lines.length === 0 ? "" : `Inputs:\n${lines.join("\n")}`;
}

/** The server whose flows are started. */
class FlowServer {
  readonly #context: ServerTaskContext;
  readonly #part: JsonObject;
  readonly #base: string;

  constructor(context: ServerTaskContext, part: JsonObject) {
    const url = optionalText(part.kestraUrl);
    if (url === undefined) {
      throw new Error(
        "The tool KestraFlow needs kestraUrl, the address of this server, and auth to start flows there",
      );
    }
    this.#context = context;
    this.#part = part;
    const tenant = optionalText(part.tenantId) ?? publicTenantId(context.attempt.tenant);
    this.#base = urlOf(url, `api/v1/${encodeURIComponent(tenant)}`);
  }

  async flow(namespace: string, id: string): Promise<JsonObject> {
    const path = `flows/${encodeURIComponent(namespace)}/${encodeURIComponent(id)}`;
    return await this.#call(`read the flow "${namespace}.${id}"`, path);
  }

  /** The new execution in a few facts. A second request would be a second execution, so it is sent once. */
  async start(namespace: string, flowId: string, given: JsonObject): Promise<string> {
    const form = new FormData();
    for (const [name, value] of Object.entries(this.#part.inputs ?? {})) form.set(name, textOf(value));
    for (const { id, value } of objectsOf(given.inputs)) form.set(String(id), textOf(value));
    const encoded = new Response(form);
    const search = new URLSearchParams(await this.#labels());
    const names = [namespace, flowId].map(encodeURIComponent).join("/");
    const execution = await this.#call(
      `start the flow "${namespace}.${flowId}"`,
      `executions/${names}?${search}`,
      {
        body: await encoded.bytes(),
        contentType: encoded.headers.get("content-type") ?? "",
      },
    );
    const { id, state } = execution;
    return stringifyJson({ id, namespace, flowId, state: isJsonObject(state) ? state.current : null });
  }

  async #labels(): Promise<[string, string][]> {
    const own = objectsOf(this.#part.labels).map(({ key, value }) => `${key}:${value}`);
    const ofExecution = this.#part.inheritLabels === true ? await this.#context.render("{{ labels }}") : {};
    return [...flat(isJsonObject(ofExecution) ? ofExecution : tryParseJson(String(ofExecution))), ...own]
      .map((label) => ["labels", label]);
  }

  async #call(
    operation: string,
    path: string,
    form?: { readonly body: Uint8Array; readonly contentType: string },
  ): Promise<JsonObject> {
    const url = `${this.#base}/${path}`;
    const headers = { ...this.#credentials(), ...form && { "Content-Type": form.contentType } };
    const { status, text } = await callRepeatedly(
      this.#context,
      () => ({ url, headers, ...form && { body: form.body } }),
      { isRepeatable: !form },
    );
    const body = await tryParseLongJson(text);
    if (status < 300 && isJsonObject(body)) return body;
    throw refusalOf({ operation, url, status, words: isJsonObject(body) ? textIn(body.message) : text });
  }

  #credentials(): Record<string, string> {
    const { apiToken, username, password } = (this.#part.auth ?? {}) as JsonObject;
    const token = optionalText(apiToken), user = optionalText(username);
    if (token !== undefined) return { Authorization: `Bearer ${token}` };
    return user === undefined ? {} : { Authorization: basicCredentials(user, optionalText(password) ?? "") };
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : stringifyJson(value);
}

/** `key:value` of a tree of labels; those of the system are not inherited. */
function flat(tree: unknown, path: readonly string[] = []): string[] {
  if (!isJsonObject(tree)) return path.length === 0 ? [] : [`${path.join(".")}:${tree}`];
  return Object.entries(tree).flatMap(([name, value]) =>
    path.length === 0 && name === "system" ? [] : flat(value, [...path, name])
  );
}
