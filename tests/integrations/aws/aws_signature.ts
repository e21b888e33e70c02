/** Verifies signatures of version 4 by the steps of the documentation, apart from the code that signs. */
import { createHash, createHmac } from "node:crypto";
import type { ApiRequest } from "../../support/servers/api_stub.ts";

/** The key pair that tests sign with. */
export const KEYS = { accessKeyId: "AKIDEXAMPLE", secretKeyId: "wJalrXUtnFEMI" };

/** Whether a request has a valid signature of {@link KEYS}; `service` and `region` are those that it claims. */
export function isSigned(request: ApiRequest): boolean {
  const { headers, method, path, query, bytes } = request;
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/
      .exec(headers.authorization ?? "");
  if (!match) return false;
  const [, id, day = "", region = "", service = "", names = "", signature] = match;
  const search = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort()
    .join("&");
  const payload = headers["x-amz-content-sha256"] ?? sha256(bytes);
  if (payload !== "UNSIGNED-PAYLOAD" && payload !== sha256(bytes)) return false;
  // S3 encodes the key once, other services the path as it is sent.
  const parts = path.split("/").map((part) => service === "s3" ? decodeURIComponent(part) : part);
  const canonicalPath = parts.map(encoded).join("/");
  const canonical = [
    method,
    canonicalPath,
    search,
    ...names.split(";").map((name) => `${name}:${(headers[name] ?? "").trim().replace(/\s+/g, " ")}`),
    "",
    names,
    payload,
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<string | Uint8Array>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${KEYS.secretKeyId}`,
  );
  const expected = createHmac("sha256", key).update(text).digest("hex");
  const isComplete = ["host", "x-amz-date"].every((name) => names.split(";").includes(name));
  return id === KEYS.accessKeyId && isComplete && signature === expected;
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
