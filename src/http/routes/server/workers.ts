/** Workers: the list for people, and the messages between the server and its workers. */
import { type Context, Hono } from "hono";
import { toIso } from "../../../base/time/clock.ts";
import { isLoopback } from "../../../base/network/ip.ts";
import { stringifyJson } from "../../../base/json.ts";
import type { WorkerGrant } from "../../../model/access/actor.ts";
import { DomainError, notFound } from "../../../model/errors.ts";
import type { WorkerEvent, WorkerView } from "../../../model/http/worker_protocol.ts";
import type { FilePart, OpenedFile } from "../../../model/ports/storage.ts";
import type { Workers } from "../../../services/workers/workers.ts";
import { type AppEnv, remoteAddress } from "../../env.ts";
import { queryOf, readRequired } from "../../forms/params.ts";
import { invalidArgument } from "../../refusals.ts";
import { readEnd, readHeartbeat, readHello, readLeave, readReport } from "../../forms/worker_messages.ts";
import { streamResponse } from "../../responses/attachment.ts";
import type { ClientAddresses } from "../../pipeline/client_addresses.ts";
import type { EventStreams } from "../../streams/sse.ts";

interface WorkerRoutesDeps {
  readonly workers: Workers;
  /** Streams of workers; they do not count as streams of people. */
  readonly streams: EventStreams;
  readonly clients: ClientAddresses;
  /** Whether callers reach the server by https: a proxy ends it. */
  readonly isHttps: boolean;
}

const LEASE = "/leases/:lease";

/** `GET /workers`, of a tenant. */
export function workerListRoutes(workers: Workers): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/workers", (c) => {
    const results = workers.list(c.get("actor")).map(workerBody);
    return c.json({ results, total: results.length });
  });
  return routes;
}

/**
 * Below `/worker`, for workers: `POST /connect` (an event stream), `/heartbeat`, `/leave`; below `/leases/:lease` of one
 * attempt `POST /report`, `/end`, `PUT /files/:name`, and `GET /files`, `/namespace-files`, `/namespace-files/content`,
 * `/executions/:id`.
 */
export function workerRoutes(deps: WorkerRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addConnectionRoutes(routes, deps);
  addReportRoutes(routes, deps);
  addReadRoutes(routes, deps);
  return routes;
}

function addConnectionRoutes(routes: Hono<AppEnv>, deps: WorkerRoutesDeps): void {
  const { workers, streams } = deps;
  routes.post("/connect", async (c) => {
    const grant = grantOf(c, deps);
    const hello = await readHello(c);
    const events: WorkerEvent[] = [];
    let send = (event: WorkerEvent) => void events.push(event);
    // Refused before the stream begins, so that the status says it.
    const disconnect = workers.connect(hello, grant, (event) => send(event));
    try {
      return streams.open(async (writer, signal) => {
        send = (event) => void writer.send({ data: stringifyJson(event) });
        events.forEach(send);
        await aborted(signal);
        disconnect();
      }, { actor: c.get("actor") });
    } catch (error) {
      disconnect();
      throw error;
    }
  });
  routes.post("/heartbeat", async (c) => {
    const grant = grantOf(c, deps);
    const { id, leases } = await readHeartbeat(c);
    return c.json(workers.heartbeat(id, grant, leases));
  });
  routes.post("/leave", async (c) => {
    const grant = grantOf(c, deps);
    workers.leave(await readLeave(c), grant);
    return c.body(null, 204);
  });
}

function addReportRoutes(routes: Hono<AppEnv>, deps: WorkerRoutesDeps): void {
  const { workers } = deps;
  routes.post(`${LEASE}/report`, async (c) => {
    const grant = grantOf(c, deps);
    await workers.report(c.req.param("lease"), grant, await readReport(c));
    return c.body(null, 204);
  });
  routes.post(`${LEASE}/end`, async (c) => {
    const grant = grantOf(c, deps);
    await workers.end(c.req.param("lease"), grant, await readEnd(c));
    return c.body(null, 204);
  });
  routes.put(`${LEASE}/files/:name`, async (c) => {
    const grant = grantOf(c, deps);
    const content = c.req.raw.body ?? new ReadableStream({ start: (controller) => controller.close() });
    await workers.upload(c.req.param("lease"), grant, { name: c.req.param("name"), content });
    return c.body(null, 204);
  });
}

function addReadRoutes(routes: Hono<AppEnv>, deps: WorkerRoutesDeps): void {
  const contextOf = (c: Context<AppEnv>) =>
    deps.workers.lease(c.req.param("lease") ?? "", grantOf(c, deps)).attempt.context;
  routes.get(`${LEASE}/files`, async (c) => {
    const context = contextOf(c);
    const uri = readRequired(queryOf(c), "uri");
    return await fileResponse(c, uri, await context.ports.storage.open(context, uri, partIn(queryOf(c))));
  });
  routes.get(`${LEASE}/namespace-files`, async (c) => {
    const context = contextOf(c);
    const namespace = readRequired(queryOf(c), "namespace");
    return c.json(await context.ports.namespaceFiles.list(context, namespace));
  });
  routes.get(`${LEASE}/namespace-files/content`, async (c) => {
    const context = contextOf(c);
    const query = queryOf(c);
    const path = readRequired(query, "path");
    const namespace = readRequired(query, "namespace");
    return await fileResponse(c, path, await context.ports.namespaceFiles.open(context, namespace, path));
  });
  routes.get(`${LEASE}/executions/:id`, async (c) => {
    const context = contextOf(c);
    const found = await context.ports.executions.summary(context.tenant, c.req.param("id"));
    if (found) return c.json(found);
    throw notFound(`there is no execution "${c.req.param("id")}"`);
  });
}

/** The part that `offset` and `length` name; `undefined` without them. @throws DomainError invalid_argument */
function partIn(query: URLSearchParams): FilePart | undefined {
  if (!query.has("length")) return undefined;
  const number = (name: string) => {
    const value = Number(readRequired(query, name));
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw invalidArgument(`"${name}" must be a whole number from 0`);
  };
  return { offset: number("offset"), length: number("length") };
}

async function fileResponse(
  c: Context<AppEnv>,
  name: string,
  file: OpenedFile | undefined,
): Promise<Response> {
  if (!file) throw notFound(`there is no file "${name}"`);
  const headers = new Headers({
    "content-type": "application/octet-stream",
    "content-length": String(file.size),
    "cache-control": "no-store",
  });
  return await streamResponse(c, file.content, headers);
}

/** What the worker may do. Attempts hold secrets. @throws DomainError forbidden: others could read the connection */
function grantOf(c: Context<AppEnv>, { clients, isHttps }: WorkerRoutesDeps): WorkerGrant | undefined {
  const peer = remoteAddress(c.env);
  const isPrivate = isHttps || c.req.raw.url.startsWith("https:") || peer === "unknown" || isLoopback(peer) ||
    clients.isTrustedProxy(peer);
  if (isPrivate) return c.get("actor").worker;
  throw new DomainError(
    "forbidden",
    "Forbidden: a worker of another machine needs https; give the server its public address by --base-url",
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function workerBody({ connectedAt, lastSeenAt, ...worker }: WorkerView): object {
  return { ...worker, connectedAt: toIso(connectedAt), lastSeenAt: toIso(lastSeenAt) };
}
