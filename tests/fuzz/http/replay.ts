/** Sends a finding again, to a new server. */
import { fillServer } from "./fixtures.ts";
import type { HttpFinding } from "./findings.ts";
import { FuzzedServer } from "./fuzzed_server.ts";
import { judge, maxMsOf, type Mistake } from "./judge.ts";
import type { FuzzRequest } from "./message.ts";
import { IdPool } from "./pool.ts";
import type { IdKind } from "./values.ts";
import { Wire, WireEnd } from "./wire.ts";

/** The mistake that the finding still shows: alone, else after the requests before it. */
export async function replayFinding(finding: HttpFinding): Promise<Mistake | undefined> {
  await using server = await FuzzedServer.start();
  const pool = new IdPool();
  await fillServer(server.send, pool);
  const translate = (request: FuzzRequest) =>
    withIds(request, finding.ids, { pool, authorization: server.authorization });
  const first = await sendOnce(server, translate(finding.request));
  if (first) return first;
  for (const request of finding.before) await sendOnce(server, translate(request));
  return await sendOnce(server, translate(finding.request));
}

async function sendOnce(server: FuzzedServer, request: FuzzRequest): Promise<Mistake | undefined> {
  using wire = await Wire.connect(server.port);
  const startedMs = performance.now();
  try {
    const response = await wire.exchange(request);
    const ms = performance.now() - startedMs;
    const mistake = judge(request, response, server.rules);
    if (mistake) return { ...mistake, detail: `${mistake.detail}\n${server.errors().at(-1)?.reason ?? ""}` };
    return ms > maxMsOf(request, response)
      ? { kind: "slow", detail: `It took ${ms.toFixed(0)} ms` }
      : undefined;
  } catch (error) {
    if (!(error instanceof WireEnd)) throw error;
    return request.raw ? undefined : { kind: "no response", detail: error.message };
  }
}

/** The request with ids of this server instead of those of the other one. */
function withIds(
  request: FuzzRequest,
  ids: HttpFinding["ids"],
  { pool, authorization }: { readonly pool: IdPool; readonly authorization: string },
): FuzzRequest {
  const names = new Map(
    Object.entries(ids).flatMap(([kind, list]) =>
      list.map((id, index) => [id, pool.id(kind as IdKind, index / list.length)] as const)
    ),
  );
  const replace = (text: string) => text.replace(/[A-Za-z0-9]{8,30}/g, (word) => names.get(word) ?? word);
  const body = request.body && new TextEncoder().encode(replace(new TextDecoder().decode(request.body)));
  const isText = request.body !== undefined && !request.body.some((byte) => byte > 127);
  return {
    ...request,
    target: replace(request.target),
    headers: request.headers.map(([name, value]) => [name, name === "authorization" ? authorization : value]),
    ...(isText && body && { body }),
  };
}
