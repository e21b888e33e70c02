/** Sessions with a server of NATS. */
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import { systemClock } from "../../base/time/clock.ts";
import { type JsonObject, parseJson, stringifyJson } from "../../base/json.ts";
import { unbracketed } from "../../base/network/ip.ts";
import { dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { optionalText, type WorkContext } from "../../model/tasks/task_definition.ts";
import { NatsClient, type NatsMessage, type SentMessage } from "./client.ts";
import { credentialsOf } from "./credentials.ts";
import { serverNameOf } from "../tls_sockets.ts";

/** What connects: a task, a poll, or a trigger that holds a connection. */
type Connector = Pick<WorkContext, "properties" | "signal" | "connectAddress">;

const CONNECT_TIMEOUT_MS = 30_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** Time to take leave. */
const CLOSE_TIMEOUT_MS = 500;
const DEFAULT_PORT = 4222;
/** A request for which no one listens. */
const NO_RESPONDERS = 503;

/** Properties of each type. */
export const CONNECTION_PROPERTIES: PropertySchemas = Object.freeze({
  url: dynamicText(
    "Address of the server, `nats://host:4222`, or `tls://…` for TLS. User and password, or a token, may stand before the host; keep it as a secret then.",
    { required: true },
  ),
  username: dynamicText("Name of the user."),
  password: dynamicText("Password of the user; keep it as a secret."),
  token: dynamicText("Token in place of user and password; keep it as a secret."),
  creds: dynamicText(
    "Content of a file of credentials, with the JWT and the seed of the user; keep it as a secret. The connection must use TLS.",
  ),
});

/** A connection that is open. */
export class NatsSession {
  readonly #client: NatsClient;
  readonly #server: string;
  readonly #release: () => void;
  /** Subjects of replies begin with it; no other client uses it. */
  readonly #inbox = `_INBOX.${randomBytes(16).toString("hex")}`;
  #lastReply = 0;

  private constructor(
    client: NatsClient,
    { host, signal }: { readonly host: string; readonly signal: AbortSignal },
  ) {
    this.#client = client;
    this.#server = host;
    const stop = () => client.stop(new Error("The work was stopped"));
    signal.addEventListener("abort", stop, { once: true });
    this.#release = () => signal.removeEventListener("abort", stop);
    if (signal.aborted) stop();
  }

  /** Connects and logs in. @throws Error with the server and its words */
  static async open(context: Connector): Promise<NatsSession> {
    const url = URL.parse(String(context.properties.url).trim());
    if (!url || !/^(?:nats|tls):$/.test(url.protocol) || url.hostname === "") {
      throw new Error("Invalid url: it must be nats://host:port or tls://host:port");
    }
    const name = unbracketed(url.hostname), port = Number(url.port || DEFAULT_PORT);
    const address = await context.connectAddress(name, port);
    const client = new NatsClient(connectTcp({ host: address.hostname, port: address.port }));
    const session = new NatsSession(client, { host: `${name}:${port}`, signal: context.signal });
    const late = () =>
      client.fail(new Error(`There was no connection within ${CONNECT_TIMEOUT_MS / 1000} s`));
    const cancel = systemClock.setTimer(CONNECT_TIMEOUT_MS, late);
    try {
      await session.run(() => logIn(client, { url, name, properties: context.properties }));
      return session;
    } catch (error) {
      await session.close();
      throw error;
    } finally {
      cancel();
    }
  }

  /** The result of `work`. @throws Error it failed, the connection failed, or the work must stop; with the server and its words */
  async run<T>(work: (client: NatsClient) => Promise<T>): Promise<T> {
    try {
      return await Promise.race([work(this.#client), this.#client.broken]);
    } catch (error) {
      const reason = (this.#client.failure ?? error as Error).message;
      throw new Error(`Cannot use the server "${this.#server}": ${reason}`, { cause: error });
    }
  }

  /** The first reply to a message; `undefined` if no one listens or the time is over. */
  async request(message: SentMessage, timeoutMs = REQUEST_TIMEOUT_MS): Promise<NatsMessage | undefined> {
    const found = Promise.withResolvers<NatsMessage | undefined>();
    const { reply, end } = this.listen(found.resolve);
    const cancel = systemClock.setTimer(timeoutMs, () => found.resolve(undefined));
    try {
      const response = await this.run(async (client) => {
        await client.publish({ ...message, reply });
        return await found.promise;
      });
      return response?.status === NO_RESPONDERS ? undefined : response;
    } finally {
      cancel();
      end();
    }
  }

  /** Calls `take` for each message to a new subject for replies. */
  listen(take: (message: NatsMessage) => void): { readonly reply: string; readonly end: () => void } {
    const reply = `${this.#inbox}.${++this.#lastReply}`;
    return { reply, end: this.#client.subscribe(reply, take) };
  }

  /** The response of JetStream to a call of its API, or `undefined` for what does not exist. @throws Error with its words */
  async call(operation: string, request: JsonObject): Promise<JsonObject | undefined> {
    const data = Buffer.from(stringifyJson(request));
    const response = await this.request({ subject: `$JS.API.${operation}`, data });
    if (!response) throw new Error(`Cannot use the server "${this.#server}": JetStream does not respond`);
    return this.checked(response);
  }

  /** The JSON of a response of JetStream; `undefined` for what does not exist. @throws Error with its words */
  checked({ data }: NatsMessage): JsonObject | undefined {
    const response = parseJson(data.toString()) as JsonObject;
    const error = response.error as JsonObject | undefined;
    if (!error) return response;
    if (error.code === 404) return undefined;
    throw new Error(
      `Cannot use the server "${this.#server}": ${error.description} (${error.err_code ?? error.code})`,
    );
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    this.#release();
    await this.#client.end(CLOSE_TIMEOUT_MS);
  }
}

/** Runs `work` with a connection, and closes it. @throws Error with the server and its words */
export async function withNats<T>(
  context: Connector,
  work: (session: NatsSession) => Promise<T>,
): Promise<T> {
  const session = await NatsSession.open(context);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

interface Login {
  readonly url: URL;
  readonly name: string;
  readonly properties: JsonObject;
}

async function logIn(client: NatsClient, { url, name, properties }: Login): Promise<void> {
  const info = await client.info();
  const creds = optionalText(properties.creds);
  const isSecure = info.tls_required === true || url.protocol === "tls:" || creds !== undefined;
  if (isSecure) {
    client.upgrade((socket) => connectTls({ socket, ...serverNameOf(name) }));
  }
  await client.logIn({
    verbose: false,
    pedantic: false,
    lang: "sluice",
    version: "1",
    protocol: 1,
    headers: true,
    no_responders: true,
    ...userOf(url, properties),
    ...creds !== undefined && await credentialsOf(creds, String(info.nonce ?? "")),
  });
}

/** A name alone in the URL is a token. */
function userOf(url: URL, properties: JsonObject): JsonObject {
  const token = optionalText(properties.token), user = optionalText(properties.username);
  const urlUser = decodeURIComponent(url.username), urlPassword = decodeURIComponent(url.password);
  if (token !== undefined) return { auth_token: token };
  if (user !== undefined) return { user, pass: optionalText(properties.password) ?? "" };
  if (urlPassword !== "") return { user: urlUser, pass: urlPassword };
  return urlUser === "" ? {} : { auth_token: urlUser };
}
