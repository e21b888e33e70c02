/** Operations on workers, and the messages that workers send. */
import { EVENTS, FILE, json, type Operations, TEXTS } from "../operation.ts";
import { FLAG, INSTANT, INTEGER, listOf, MAP, objectOf, oneOf, pageOf, TEXT } from "../schema.ts";

const WORKER = objectOf({
  id: TEXT,
  name: TEXT,
  groups: listOf(TEXT),
  version: TEXT,
  concurrency: INTEGER,
  attempts: INTEGER,
  isConnected: FLAG,
  connectedAt: INSTANT,
  lastSeenAt: INSTANT,
});
const HELLO = objectOf({
  id: TEXT,
  name: TEXT,
  version: TEXT,
  groups: listOf(TEXT),
  concurrency: INTEGER,
  "leases?": listOf(TEXT),
});
const LINES = { seq: INTEGER, "lines?": listOf(listOf(TEXT)) };
const END = objectOf({
  ...LINES,
  state: oneOf(["SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELLED"]),
  "outputs?": MAP,
  "message?": TEXT,
  "metrics?": listOf(MAP),
  "files?": listOf(TEXT),
});
const SUMMARY = objectOf({ id: TEXT, namespace: TEXT, flowId: TEXT, state: TEXT });

/** By method and path. */
export const WORKER_OPERATIONS: Operations = [
  ["GET /workers", "Lists connected workers", { response: json(pageOf(WORKER)) }],
  ["POST /worker/connect", "Connects a worker; the stream brings its attempts", {
    body: json(HELLO),
    response: EVENTS,
  }],
  ["POST /worker/heartbeat", "Confirms the attempts of a worker; gets those that it must end", {
    body: json(objectOf({ id: TEXT, "leases?": listOf(TEXT) })),
    response: json(objectOf({ stop: listOf(TEXT) })),
  }],
  ["POST /worker/leave", "Ends a worker that stops", { body: json(objectOf({ id: TEXT })), status: 204 }],
  ["POST /worker/leases/{lease}/report", "Adds log lines of an attempt", {
    body: json(objectOf(LINES)),
    status: 204,
  }],
  ["POST /worker/leases/{lease}/end", "Ends an attempt", { body: json(END), status: 204 }],
  ["PUT /worker/leases/{lease}/files/{name}", "Uploads a file of an attempt", { body: FILE, status: 204 }],
  ["GET /worker/leases/{lease}/files", "Downloads a file that an attempt may read", {
    query: ["uri!"],
    response: FILE,
  }],
  ["GET /worker/leases/{lease}/namespace-files", "Lists files of a namespace for an attempt", {
    query: ["namespace!"],
    response: TEXTS,
  }],
  ["GET /worker/leases/{lease}/namespace-files/content", "Downloads a namespace file for an attempt", {
    query: ["namespace!", "path!"],
    response: FILE,
  }],
  ["GET /worker/leases/{lease}/executions/{id}", "Gets a summary of an execution for an attempt", {
    response: json(SUMMARY),
  }],
];
