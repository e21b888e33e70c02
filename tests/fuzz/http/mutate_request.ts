/** Damages to requests that are still HTTP: paths, queries, headers, methods, bodies. */
import { gzipSync } from "node:zlib";
import type { Chance } from "../../crash/chance.ts";
import { mutate, type Spares } from "../mutate.ts";
import type { FuzzRequest, HeaderLine } from "./message.ts";
import { BODIES } from "./recorded.ts";
import { ODD_TEXTS } from "./values.ts";

type Mutation = (request: FuzzRequest, chance: Chance) => FuzzRequest;

const METHODS = [
  "GET",
  "POST",
  "PUT",
  "DELETE",
  "PATCH",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "get",
  "X",
  "CONNECTX",
];
const TYPES = [
  ..."application/json|application/x-yaml|text/plain|multipart/form-data|multipart/form-data; boundary=XX|"
    .split("|"),
  ..."application/x-www-form-urlencoded|application/json; charset=utf-16|application/zip|*/*|;|a/b/c".split(
    "|",
  ),
  `multipart/form-data; boundary="${"b".repeat(80)}"`,
  "application/problem+json",
  "x".repeat(5_000),
];
/** Headers that a server may act upon. */
const HEADERS: readonly HeaderLine[] = [
  ["accept", "application/problem+json"],
  ["accept", "text/html, */*;q=0.1"],
  ["accept", ",,;q=9"],
  ["accept-encoding", "gzip, br"],
  ["accept-encoding", "gzip;q=0"],
  ["range", "bytes=0-1"],
  ["range", "bytes=9-1,0-,-5"],
  ["range", "bytes=0-99999999999999999999"],
  ["if-none-match", "*"],
  ["if-none-match", '"x", W/"y"'],
  ["if-match", "*"],
  ["if-match", '"999"'],
  ["if-match", '"\u00e9'],
  ["if-modified-since", "Sat, 31 Feb 2026 99:00:00 GMT"],
  ["expect", "100-continue"],
  ["expect", "200-ok"],
  ["content-encoding", "gzip"],
  ["content-encoding", "identity, br"],
  ["origin", "http://other.example"],
  ["origin", "null"],
  ["sec-fetch-site", "cross-site"],
  ["sec-purpose", "prefetch"],
  ["x-request-id", "id with spaces \u00e9"],
  ["x-request-id", "r".repeat(500)],
  ["x-http-method-override", "DELETE"],
  ["x-forwarded-for", "1.2.3.4, ::1, garbage"],
  ["x-forwarded-host", "other.example"],
  ["x-original-url", "/metrics"],
  ["forwarded", 'for="[::1]";host=x'],
  ["upgrade", "websocket"],
  ["te", "trailers"],
  ["last-event-id", "\u00ff\u0001".slice(0, 1)],
  ["idempotency-key", "k".repeat(300)],
  ["idempotency-key", ""],
  ["ttl", "forever"],
  ["ttl", "PT-1S"],
  ["description", "\u00fc".repeat(2_000)],
  ["cookie", "a=b; c=".repeat(200)],
  ["accept-language", "de-CH-1996,*;q=0.001"],
  ["referer", "http://127.0.0.1/login"],
];
const MAX_TARGET = 30_000;
const encoder = new TextEncoder();
const CORPUS = [...BODIES.values()].flat().flatMap(([, body]) => typeof body === "string" ? [body] : []);
const SPARES: Spares = {
  corpus: CORPUS,
  tokens: [
    ...'null|true|[]|{}|""|"|,|:|{"a":|[[|1e400|-0|\\u0000|\\ud800|\ufeff|"__proto__":{"x":1},|"constructor":1,|*a|&a |<<: '
      .split("|"),
    ...`- |id: |---\n|--XX\r\n|--XX--|; filename="../x"|; name=""|\r\n\r\n|{{ |}}|{% |!!binary |>-\n|namespace: |tasks: |null`
      .split("|"),
  ],
};

const MUTATIONS: readonly (readonly [weight: number, mutation: Mutation])[] = [
  [4, mutateSegment],
  [2, mutatePath],
  [4, mutateQuery],
  [4, addHeader],
  [1, doubleHeader],
  [1, dropHeader],
  [2, changeType],
  [1.5, (request, chance) => ({ ...request, method: chance.pick(METHODS) ?? "GET" })],
  [8, mutateBodyText],
  [3, mutateJson],
  [2, mutateBytes],
  [1, otherBody],
  [0.7, (request) => ({ ...request, isChunked: true, body: request.body ?? new Uint8Array() })],
  [0.3, compressBody],
  [0.3, nestBody],
];

/** The request with a few damages. */
export function mutateRequest(request: FuzzRequest, chance: Chance): FuzzRequest {
  let mutated = request;
  const count = 1 + Math.floor(chance.next() ** 2 * 4);
  for (let i = 0; i < count; i++) mutated = chance.weighted(MUTATIONS)(mutated, chance);
  return {
    ...mutated,
    target: mutated.target.replace(/[\s\p{Cc}]/gu, "%20").slice(0, MAX_TARGET),
  };
}

/** A path segment becomes an odd text, or is followed by one. */
function mutateSegment(request: FuzzRequest, chance: Chance): FuzzRequest {
  const [path = "", ...query] = request.target.split("?");
  const segments = path.split("/");
  const index = 1 + Math.floor(chance.next() * (segments.length - 1));
  const odd = chance.pick(ODD_TEXTS) ?? "";
  const segment = chance.holds(0.6) ? odd : (segments[index] ?? "") + odd;
  return {
    ...request,
    target: [segments.with(Math.min(index, segments.length - 1), segment).join("/"), ...query].join("?"),
  };
}

function mutatePath(request: FuzzRequest, chance: Chance): FuzzRequest {
  const { target } = request;
  const edits: readonly ((path: string) => string)[] = [
    (path) => path.replaceAll("/", "//"),
    (path) => path.toUpperCase(),
    (path) => `${path}/`,
    (path) => path.replace("/main/", "/"),
    (path) => path.replace("/main/", "/other/"),
    (path) =>
      path.replace(/[a-z]/g, (sign) => chance.holds(0.2) ? `%${sign.charCodeAt(0).toString(16)}` : sign),
    (path) => `${path};jsessionid=1`,
    (path) => path.replace("/api/", "/api/./../api/"),
    (path) => `http://127.0.0.1${path}`,
    (path) => mutate(path, chance, SPARES),
  ];
  return { ...request, target: (chance.pick(edits) ?? String)(target) };
}

function mutateQuery(request: FuzzRequest, chance: Chance): FuzzRequest {
  const [path = "", query = ""] = request.target.split("?");
  const pairs = query === "" ? [] : query.split("&");
  const odd = chance.pick(ODD_TEXTS) ?? "";
  const index = Math.floor(chance.next() * pairs.length);
  const name = pairs[index]?.split("=")[0] ??
    chance.pick(["page", "size", "sort", "q", "filters[x][EQUALS]", "namespace"]) ?? "";
  const edits: readonly (() => string[])[] = [
    () => [...pairs, `${name}=${odd}`],
    () => pairs.length > 0 ? pairs.with(index, `${name}=${odd}`) : [odd],
    () => pairs.toSpliced(index, 1),
    () => [...pairs, ...pairs],
    () => [...pairs, `${odd}=1`],
    () => [...pairs, mutate(`filters[namespace][EQUALS]=fuzz`, chance, SPARES)],
  ];
  return { ...request, target: `${path}?${(chance.pick(edits) ?? (() => []))().join("&")}` };
}

function addHeader(request: FuzzRequest, chance: Chance): FuzzRequest {
  const header = chance.pick(HEADERS);
  return header ? { ...request, headers: [...request.headers, header] } : request;
}

function doubleHeader(request: FuzzRequest, chance: Chance): FuzzRequest {
  const header = chance.pick(request.headers.filter(([name]) => name !== "host"));
  return header ? { ...request, headers: [...request.headers, header] } : request;
}

function dropHeader(request: FuzzRequest, chance: Chance): FuzzRequest {
  const index = Math.floor(chance.next() * request.headers.length);
  return { ...request, headers: request.headers.toSpliced(index, 1) };
}

function changeType(request: FuzzRequest, chance: Chance): FuzzRequest {
  return withType(request, chance.pick(TYPES) ?? "");
}

function withType(request: FuzzRequest, type: string): FuzzRequest {
  const others = request.headers.filter(([name]) => name !== "content-type");
  return { ...request, headers: [...others, ["content-type", type]] };
}

function mutateBodyText(request: FuzzRequest, chance: Chance): FuzzRequest {
  if (!request.body) return request;
  return { ...request, body: encoder.encode(mutate(new TextDecoder().decode(request.body), chance, SPARES)) };
}

/** One value of the JSON becomes another, or its members appear twice. */
function mutateJson(request: FuzzRequest, chance: Chance): FuzzRequest {
  const text = request.body ? new TextDecoder().decode(request.body) : "";
  const values = [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|true|false|null|\{\}|\[\]/g)];
  const value = chance.pick(values);
  if (!value) return request;
  const odd = chance.pick([
    ...'null|0|-1|1e400|123456789012345678901234567890|[]|{}|[[[]]]|"\\u0000"|"\\ud800"|""|true|"{{ x }}"|{"__proto__":1}'
      .split("|"),
    `"${"x".repeat(10_000)}"`,
    `${value[0]},${value[0]}`,
    `[${`${value[0]},`.repeat(500)}0]`,
    "9".repeat(1_000),
  ]) ?? "";
  const after = value.index + value[0].length;
  return { ...request, body: encoder.encode(text.slice(0, value.index) + odd + text.slice(after)) };
}

/** Bytes that are no text: cut off, flipped, a mark in front. */
function mutateBytes(request: FuzzRequest, chance: Chance): FuzzRequest {
  const body = request.body ?? new Uint8Array();
  const at = Math.floor(chance.next() * body.length);
  const edits: readonly (() => Uint8Array<ArrayBuffer>)[] = [
    () => body.slice(0, at),
    () => new Uint8Array([0xef, 0xbb, 0xbf, ...body]),
    () => new Uint8Array([0xff, 0xfe, ...body]),
    () => new Uint8Array([...body.subarray(0, at), 0xc3, 0x28, 0, 0xff, ...body.subarray(at)]),
    () => body.map((byte) => chance.holds(0.01) ? byte ^ (1 << Math.floor(chance.next() * 8)) : byte),
    () => new Uint8Array(),
  ];
  return { ...request, body: (chance.pick(edits) ?? (() => body))() };
}

function otherBody(request: FuzzRequest, chance: Chance): FuzzRequest {
  const [type, body] = chance.pick(chance.pick([...BODIES.values()]) ?? []) ?? ["", ""];
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  return chance.holds(0.5) ? withType({ ...request, body: bytes }, type) : { ...request, body: bytes };
}

function compressBody(request: FuzzRequest): FuzzRequest {
  const body = new Uint8Array(gzipSync(request.body ?? new Uint8Array(100_000)));
  return { ...request, body, headers: [...request.headers, ["content-encoding", "gzip"]] };
}

/** Deeper than a parser that calls itself can follow. */
function nestBody(request: FuzzRequest, chance: Chance): FuzzRequest {
  const [open = "", close = ""] =
    chance.pick([["[", "]"], ['{"a":', "}"], ["- ", ""], ["a: {", "}"], ["{{ (", ")"]]) ?? [];
  const depth = Math.floor(2 ** chance.between(5, 15));
  return { ...request, body: encoder.encode(`${open.repeat(depth)}1${close.repeat(depth)}`) };
}
