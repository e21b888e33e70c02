/** What a run found: each kind once, with what is needed to send it again. */
import { type FuzzRequest, readRequest, type StoredRequest, storedRequest } from "./message.ts";
import type { Mistake } from "./judge.ts";

/** A mistake with its request. */
export interface HttpFinding extends Mistake {
  readonly seed: number;
  readonly index: number;
  readonly request: FuzzRequest;
  /** Requests before it, the oldest first. */
  readonly before: readonly FuzzRequest[];
  /** Ids that requests could name, which another server does not have. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
}

interface StoredFinding extends Omit<HttpFinding, "request" | "before"> {
  readonly request: StoredRequest;
  readonly before: readonly StoredRequest[];
}

/** Writes a finding into the folder. Gives its path. */
export async function saveHttpFinding(folder: string, finding: HttpFinding): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  const path = `${folder}/http-${finding.seed}-${finding.index}.json`;
  const request = storedRequest(finding.request);
  const stored: StoredFinding = { ...finding, request, before: finding.before.map(storedRequest) };
  await Deno.writeTextFile(path, JSON.stringify(stored, undefined, 2));
  return path;
}

/** A finding that was written. @throws SyntaxError, Deno.errors.NotFound */
export async function readHttpFinding(path: string): Promise<HttpFinding> {
  const stored = JSON.parse(await Deno.readTextFile(path)) as StoredFinding;
  return { ...stored, request: readRequest(stored.request), before: stored.before.map(readRequest) };
}

/** The request as people read it. */
export function shownRequest({ method, target, headers, body, raw }: FuzzRequest): string {
  const bytes = raw ?? body;
  const text = bytes ? JSON.stringify(new TextDecoder("latin1").decode(bytes.subarray(0, 400))) : "no body";
  const lines = raw ? [] : [
    `${method} ${target.slice(0, 500)}`,
    ...headers.map(([name, value]) => `${name}: ${value.slice(0, 200)}`),
  ];
  return [...lines, text].join("\n  ");
}
