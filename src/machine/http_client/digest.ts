/** Digest credentials (RFC 7616) for the challenge of a server. */
import { createHash } from "node:crypto";

interface DigestRequest {
  readonly username: string;
  readonly password: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Client nonce, random. */
  readonly nonce: string;
}

const ALGORITHMS: ReadonlyMap<string, string> = new Map([["MD5", "md5"], ["SHA-256", "sha256"]]);

/** The `Authorization` header for a `WWW-Authenticate` header; `undefined` for another or unsupported challenge. */
export function digestCredentials(challenge: string, request: DigestRequest): string | undefined {
  const fields = challengeFields(challenge);
  const algorithm = (fields.get("algorithm") ?? "MD5").toUpperCase();
  const kind = ALGORITHMS.get(algorithm.replace(/-SESS$/, ""));
  const [realm, nonce] = [fields.get("realm"), fields.get("nonce")];
  if (kind === undefined || realm === undefined || nonce === undefined) return undefined;
  const hash = (...parts: string[]) => createHash(kind).update(parts.join(":")).digest("hex");
  const { username, password, method, target, nonce: cnonce } = request;
  const user = hash(username, realm, password);
  const secret = algorithm.endsWith("-SESS") ? hash(user, nonce, cnonce) : user;
  const action = hash(method, target);
  const hasQuality = fields.get("qop")?.split(",").some((part) => part.trim() === "auth");
  const response = hasQuality
    ? hash(secret, nonce, COUNT, cnonce, "auth", action)
    : hash(secret, nonce, action);
  const given = { username, realm, nonce, uri: target, response, cnonce, opaque: fields.get("opaque") };
  const texts = Object.entries(given).filter(([, text]) => text !== undefined)
    .map(([name, text]) => `${name}="${text?.replace(/["\\]/g, "\\$&")}"`);
  const plain = [`algorithm=${algorithm}`, ...(hasQuality ? ["qop=auth", `nc=${COUNT}`] : [])];
  return `Digest ${[...texts, ...plain].join(", ")}`;
}

/** Nonce count: each challenge is used once. */
const COUNT = "00000001";

function challengeFields(challenge: string): ReadonlyMap<string, string> {
  const text = /^\s*digest\s+(.*)$/is.exec(challenge)?.[1] ?? "";
  const pairs = text.matchAll(/(?<![a-z])([a-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/gi);
  return new Map(
    [...pairs].map(([, name = "", quoted, bare = ""]) => [
      name.toLowerCase(),
      quoted?.replace(/\\(.)/g, "$1") ?? bare,
    ]),
  );
}
