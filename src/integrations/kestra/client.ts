/** The API of this server, and of others of this language. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { tryParseLongJson, tryParseShortJson } from "../../base/json_turns.ts";
import { publicTenantId } from "../../model/access/tenant.ts";
import { basicCredentials } from "../../model/http/http_request.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import {
  optionalText,
  type TaskContext,
  type TaskRequest,
  type TaskResponse,
} from "../../model/tasks/task_definition.ts";
import type { TriggerContext } from "../../model/triggers/trigger_definition.ts";
import { callRepeatedly, refusalOf } from "../http_calls.ts";

/** Properties of all types. */
export const CONNECTION: PropertySchemas = Object.freeze({
  kestraUrl: dynamicText("URL of the server, such as `https://flows.example.com`.", { required: true }),
  tenantId: dynamicText("Tenant on the server; default is the one of the execution."),
  auth: dynamicProperty("object", "Credentials.", {
    properties: {
      apiToken: dynamicText("API token; keep it as a secret."),
      username: dynamicText("Name of the user."),
      password: dynamicText("Password of the user; keep it as a secret."),
      auto: dynamicFlag(true, "Has no effect: tasks have no credentials of their own.", { ignored: true }),
    },
  }),
});

/** A request to the API. */
interface ApiCall extends Pick<TaskRequest, "method" | "headers" | "body" | "json" | "saveTo"> {
  /** Follows the tenant; begins with a slash; names in it are encoded. */
  readonly path: string;
  /** Names may occur several times; those without a value are left out. */
  readonly query?: readonly (readonly [name: string, value: JsonValue | undefined])[];
  /** For errors: verb and object. */
  readonly operation: string;
  /** Default is true, but not for POST. */
  readonly isRepeatable?: boolean;
}

/** What calls the API: a task, or the poll of a trigger. */
type Caller =
  & Pick<TaskContext, "properties" | "http" | "signal">
  & (Pick<TaskContext, "attempt"> | Pick<TriggerContext, "trigger">);

/** The response. @throws Error no response, or one that refuses the request */
export async function callApi(context: Caller, call: ApiCall): Promise<TaskResponse> {
  const { path, query = [], operation, isRepeatable, ...request } = call;
  const { kestraUrl, tenantId } = context.properties;
  const given = query.flatMap(([name, value]): [string, string][] => {
    const text = optionalText(value);
    return text === undefined ? [] : [[name, text]];
  });
  const tenant = encodeURIComponent(optionalText(tenantId) ?? ownTenant(context));
  const search = new URLSearchParams(given).toString();
  const url = `${String(kestraUrl).replace(/(?<!\/)\/+$/, "")}/api/v1/${tenant}${path}${
    search && `?${search}`
  }`;
  const response = await callRepeatedly(context, () => ({
    ...request,
    url,
    headers: { ...request.headers, ...authorization(context.properties) },
  }), { isRepeatable: isRepeatable ?? request.method !== "POST" });
  if (response.status < 300) return response;
  throw refusalOf({ operation, url, status: response.status, words: wordsOf(response) });
}

/** The body of the response. @throws Error as {@link callApi} */
export async function callForJson(context: Caller, call: ApiCall): Promise<JsonValue> {
  return await tryParseLongJson((await callApi(context, call)).text) ?? null;
}

function ownTenant(caller: Caller): string {
  return publicTenantId(("attempt" in caller ? caller.attempt : caller.trigger).tenant);
}

function authorization({ auth }: JsonObject): Record<string, string> {
  const { apiToken, username, password } = isJsonObject(auth) ? auth : {};
  const token = optionalText(apiToken), user = optionalText(username);
  if (token !== undefined) return { Authorization: `Bearer ${token}` };
  if (user === undefined) return {};
  return { Authorization: basicCredentials(user, optionalText(password) ?? "") };
}

function wordsOf({ text }: TaskResponse): string {
  const body = tryParseShortJson(text);
  return (body !== undefined && isJsonObject(body) ? optionalText(body.message) : undefined) ?? text;
}

/** The results of a list, page by page. */
export async function* pagesOf(
  context: Caller,
  call: ApiCall,
  { page, size }: { readonly page?: number; readonly size: number },
): AsyncGenerator<JsonValue> {
  for (let number = page ?? 1;; number++) {
    const query = [...call.query ?? [], ["page", number], ["size", size]] as const;
    const body = await callForJson(context, { ...call, query });
    const results = body !== null && isJsonObject(body) && Array.isArray(body.results) ? body.results : [];
    yield* results;
    if (page !== undefined || results.length < size) return;
  }
}
