/** The web that users' flows call: the responses of a scenario, served on the loopback interface. */
import { answer, MisbehavingServer } from "../support/servers/misbehaving_server.ts";
import type { WebResponse } from "./user_flow.ts";

const HOSTS = /https?:\/\/(?:[a-z0-9-]+\.)*example\.(?:com|org)/g;

/** Serves these responses; anything else is 404. */
export function serveWeb(responses: Readonly<Record<string, WebResponse>>): MisbehavingServer {
  const counts = new Map<string, number>();
  return new MisbehavingServer(({ head }) => {
    const target = targetOf(head);
    const key = Object.hasOwn(responses, target) ? target : target.replace(/\?.*/, "");
    if (!Object.hasOwn(responses, key)) return answer(404, `no ${target}`);
    const turn = counts.get(key) ?? 0;
    counts.set(key, turn + 1);
    return responseText(responses[key] ?? "", turn);
  });
}

/** The source with the server in the place of hosts of `example.com` and `example.org`. */
export function pointTo(server: MisbehavingServer, source: string): string {
  return source.replaceAll(HOSTS, server.url);
}

/** `METHOD /path?query` of a request. */
export function targetOf(head: string): string {
  return head.slice(0, head.indexOf(" HTTP/"));
}

function responseText(response: WebResponse, turn: number): string {
  if (typeof response === "number") return answer(response, "");
  if (typeof response === "string") return answer(200, response, { "Content-Type": "text/plain" });
  if (!Array.isArray(response) && typeof response === "object") {
    if ("turns" in response) {
      const turns = response.turns as readonly WebResponse[];
      return responseText(turns[Math.min(turn, turns.length - 1)] ?? "", 0);
    }
    if (typeof (response as { status?: unknown }).status === "number") return fullResponse(response);
  }
  return jsonResponse(200, response);
}

function fullResponse(response: WebResponse): string {
  const { status, body = "", headers } = response as {
    status: number;
    body?: unknown;
    headers?: Record<string, string>;
  };
  if (typeof body === "string") return answer(status, body, headers);
  return jsonResponse(status, body, headers);
}

function jsonResponse(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): string {
  return answer(status, JSON.stringify(body), { "Content-Type": "application/json", ...headers });
}
