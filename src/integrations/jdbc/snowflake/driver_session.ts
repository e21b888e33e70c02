/**
 * Sessions of Snowflake as its drivers have them: files reach a stage by the command PUT, which the SQL API does not take. The
 * protocol has no document; shapes are those of the open drivers (snowflake-connector-nodejs).
 */
import { isJsonObject, type JsonObject, stringifyJson } from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";
import { optionalText, type WorkContext } from "../../../model/tasks/task_definition.ts";
import { callRepeatedly } from "../../http_calls.ts";
import { type HttpServer, httpServerOf, statementError } from "../http/http_server.ts";
import { newUuid } from "../../uuid.ts";
import { statementPlace } from "./statement_place.ts";
import { accountOf, credentialOf } from "./token.ts";

/** The service chooses the form of responses by the driver and its version. */
const CLIENT = { CLIENT_APP_ID: "JavaScript", CLIENT_APP_VERSION: "2.3.1" };
const TIMEOUT_MS = 120_000;
/** Names of the place of statements in the query of the log-in. */
const PLACE_NAMES: ReadonlyMap<string, string> = new Map([
  ["warehouse", "warehouse"],
  ["database", "databaseName"],
  ["schema", "schemaName"],
  ["role", "roleName"],
]);
/** Names of the kinds of tokens. */
const AUTHENTICATORS = {
  KEYPAIR_JWT: "SNOWFLAKE_JWT",
  OAUTH: "OAUTH",
  PROGRAMMATIC_ACCESS_TOKEN: "PROGRAMMATIC_ACCESS_TOKEN",
};

type DriverContext = Pick<WorkContext, "properties" | "http" | "signal">;

/** Logs in, runs `work`, and logs out. @throws Error with the words of Snowflake */
export async function withDriverSession<T>(
  context: DriverContext,
  work: (session: DriverSession) => Promise<T>,
): Promise<T> {
  const server = httpServerOf(context, { kinds: ["snowflake"], port: 443, isTls: true });
  const session = new DriverSession(context, server);
  await session.begin();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}

/** One session. */
class DriverSession {
  readonly #context: DriverContext;
  readonly #server: HttpServer;
  #token: string | undefined;

  constructor(context: DriverContext, server: HttpServer) {
    this.#context = context;
    this.#server = server;
  }

  /** Logs in. @throws Error the user is refused */
  async begin(): Promise<void> {
    const { properties } = this.#context;
    const { username, password } = this.#server;
    const credential = credentialOf(properties, this.#server);
    const tag = optionalText(properties.queryTag);
    const place = Object.entries(statementPlace(properties, this.#server)).map(([name, value]) =>
      [PLACE_NAMES.get(name) ?? name, String(value)] as const
    );
    const data = {
      ...CLIENT,
      ACCOUNT_NAME: accountOf(this.#server).split(".")[0] ?? "",
      LOGIN_NAME: username,
      ...credential
        ? { AUTHENTICATOR: AUTHENTICATORS[credential.kind], TOKEN: credential.token }
        : { PASSWORD: password },
      SESSION_PARAMETERS: {
        // Without it, an address for each file would have to be asked for.
        GCS_USE_DOWNSCOPED_CREDENTIAL: true,
        ...tag !== undefined && { QUERY_TAG: tag },
      },
    };
    const { token } = await this.#send("/session/v1/login-request", Object.fromEntries(place), { data });
    this.#token = optionalText(token);
  }

  /** Runs a statement that transfers files; returns what the client has to do. @throws Error it is refused */
  async transfer(sqlText: string): Promise<JsonObject> {
    return await this.#send("/queries/v1/query-request", {}, { sqlText, asyncExec: false, sequenceId: 1 });
  }

  /** Logs out. A session that stays ends after hours without a statement. */
  async end(): Promise<void> {
    await this.#send("/session", { delete: "true" }, {}).catch(() => {});
  }

  async #send(path: string, query: Readonly<Record<string, string>>, json: JsonObject): Promise<JsonObject> {
    const { origin } = this.#server;
    // Snowflake carries out a request once, however often it arrives with this id.
    const parameters = new URLSearchParams({ ...query, requestId: newUuid() });
    const { status, text } = await callRepeatedly(this.#context, () => ({
      url: `${origin}${path}?${parameters}`,
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        ...this.#token !== undefined && { authorization: `Snowflake Token="${this.#token}"` },
      },
      body: stringifyJson(json),
      followRedirects: false,
      timeoutMs: TIMEOUT_MS,
    }), { isRepeatable: true });
    const body = await tryParseLongJson(text);
    if (status === 200 && isJsonObject(body) && body.success === true) {
      return isJsonObject(body.data) ? body.data : {};
    }
    const words = isJsonObject(body) ? `${String(body.message)} (${String(body.code)})` : text.trim();
    throw statementError(origin, words || `the response was ${status}`);
  }
}
