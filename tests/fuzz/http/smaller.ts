/** Makes a request smaller as long as the same thing is wrong with its response. */
import type { FuzzRequest } from "./message.ts";

/** Requests that are sent at most. */
const MAX_TRIES = 80;

/** The smallest request that was found; `shows` sends one and says whether it has the same mistake. */
export async function smallerRequest(
  request: FuzzRequest,
  shows: (request: FuzzRequest) => Promise<boolean>,
): Promise<FuzzRequest> {
  let best = request;
  let tries = 0;
  // What a second request does not show depends on what came before.
  if (!await shows(best)) return best;
  for (let isBetter = true; isBetter && tries < MAX_TRIES;) {
    isBetter = false;
    for (const candidate of candidatesOf(best)) {
      if (tries++ >= MAX_TRIES) break;
      if (!await shows(candidate)) continue;
      best = candidate;
      isBetter = true;
      break;
    }
  }
  return best;
}

function* candidatesOf(request: FuzzRequest): Generator<FuzzRequest> {
  const { headers, body, raw } = request;
  for (const index of headers.keys()) {
    if (headers[index]?.[0] !== "host") yield { ...request, headers: headers.toSpliced(index, 1) };
  }
  if (request.isChunked) yield { ...request, isChunked: false };
  yield* withoutParameters(request);
  if (body) {
    yield { ...request, body: undefined };
    for (const shorter of shorterBytes(body)) yield { ...request, body: shorter };
  }
  if (raw) { for (const shorter of shorterBytes(raw)) yield { ...request, raw: shorter }; }
}

function* withoutParameters(request: FuzzRequest): Generator<FuzzRequest> {
  const mark = request.target.indexOf("?");
  if (mark < 0) return;
  const path = request.target.slice(0, mark), pairs = request.target.slice(mark + 1).split("&");
  for (const index of pairs.keys()) {
    const rest = pairs.toSpliced(index, 1).join("&");
    yield { ...request, target: rest === "" ? path : `${path}?${rest}` };
  }
}

/** Without a half, a quarter, an eighth. */
function* shorterBytes(bytes: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>> {
  for (const parts of [2, 4, 8]) {
    const span = Math.ceil(bytes.length / parts);
    for (let at = 0; at < bytes.length && span < bytes.length; at += span) {
      const kept = [...bytes.subarray(0, at), ...bytes.subarray(at + span)];
      yield new Uint8Array(kept);
    }
  }
}
