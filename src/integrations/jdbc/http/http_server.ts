/** Databases that are reached by HTTP. */
import { basicCredentials } from "../../../model/http/http_request.ts";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import { optionalText, type TaskRequest, type TaskResponse } from "../../../model/tasks/task_definition.ts";
import { type CancellableWork, cancelledOnStop, refusalOf, type Sender } from "../../http_calls.ts";
import { type DatabaseUrl, readDatabaseUrl } from "../database_url.ts";
import type { Database } from "../session.ts";
import { literalPlaceholder } from "../sql_text.ts";

/** A statement may take that long before its first row arrives; the time-out of the task ends it earlier. */
const STATEMENT_MS = 60 * 60 * 1000;
/** Largest response that is kept in memory. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_SHOWN_CHARS = 2_000;

/** Where such a database is. */
export interface HttpServer {
  /** Without a slash at the end. */
  readonly origin: string;
  readonly url: DatabaseUrl;
  readonly username: string;
  readonly password: string;
}

/** A kind of address. */
interface HttpKind {
  readonly kinds: readonly string[];
  readonly port: number;
  /** Used with TLS; absent: `port`. */
  readonly tlsPort?: number;
  /** TLS unless the option `ssl` is off. */
  readonly isTls?: boolean;
}

/** From `url`, `username` and `password`; https with one of the options `ssl`, `SSL` and `scheme`. @throws Error the url is invalid */
export function httpServerOf({ properties }: Pick<MachineWork, "properties">, kind: HttpKind): HttpServer {
  // Some drivers accept `jdbc:clickhouse:https://…`.
  const text = optionalText(properties.url) ?? "";
  const [, scheme] = /^jdbc:\w+:(https?):\/\//i.exec(text) ?? [];
  const plain = scheme === undefined ? text : text.replace(/^(jdbc:\w+:)https?:/i, "$1");
  const isTls = kind.isTls ? !/[?&]ssl=off\b/.test(plain) : scheme?.toLowerCase() === "https" ||
    /[?&](?:ssl|SSL)=true\b|[?&]scheme=https\b|[?&]protocol=https\b/.test(plain);
  const url = readDatabaseUrl(plain, {
    kinds: kind.kinds,
    port: isTls ? kind.tlsPort ?? kind.port : kind.port,
  });
  const host = url.host.includes(":") ? `[${url.host}]` : url.host;
  return {
    origin: `${isTls ? "https" : "http"}://${host}:${url.port}`,
    url,
    username: optionalText(properties.username) ?? url.username,
    password: optionalText(properties.password) ?? url.password,
  };
}

/** The header of a user with a password; none without a user. */
export function basicAuthorization({ username, password }: HttpServer): Record<string, string> {
  if (username === "") return {};
  return { authorization: basicCredentials(username, password) };
}

/** Sends a statement, or reads a part of its result. @throws Error no response; it names the host */
export async function sendStatement(
  context: Pick<MachineWork, "http">,
  request: TaskRequest,
): Promise<TaskResponse> {
  // Another host must not get the credentials.
  return await context.http({
    timeoutMs: STATEMENT_MS,
    maxBytes: MAX_BYTES,
    followRedirects: false,
    ...request,
  });
}

/**
 * Runs a statement. If the work must stop meanwhile, `cancellation` is sent, which is absent while nothing runs: the server
 * would continue without its client. @throws what the statement throws
 */
export async function statementUntilStop<T>(
  work: CancellableWork,
  run: () => Promise<T>,
  cancellation: (sender: Sender) => TaskRequest | undefined | Promise<TaskRequest>,
): Promise<T> {
  return await cancelledOnStop(work, run, async (sender) => {
    const request = await cancellation(sender);
    if (!request) return;
    const { status, text } = await sender.http({ followRedirects: false, ...request });
    // A statement that has ended is not known any more.
    if (status < 300 || status === 404 || status === 410) return;
    throw refusalOf({ operation: "cancel the query", url: request.url, status, words: text });
  });
}

/** The error of a statement, with the words of the server. */
export function statementError(origin: string, words: string): Error {
  return new Error(`Cannot query "${new URL(origin).host}": ${words.trim().slice(0, MAX_SHOWN_CHARS)}`);
}

/** What the databases of this folder have in common. */
export function httpDatabase(
  { prefix, title, exampleUrl, open }: Pick<Database, "prefix" | "title" | "exampleUrl" | "open">,
): Database {
  return {
    prefix,
    title,
    exampleUrl,
    open,
    syntax: { isMysql: false },
    transactions: "none",
    placeholder: literalPlaceholder,
    quoted: (name) => `"${name.replaceAll('"', '""')}"`,
  };
}
