/**
 * Verifies signatures with the key of an account by the steps of the documentation, apart from the code that signs.
 * https://learn.microsoft.com/en-us/rest/api/storageservices/authorize-with-shared-key
 */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { ApiRequest } from "../../support/servers/api_stub.ts";

/** Name of the account. */
export const ACCOUNT = "acme";
/** Its key. */
export const KEY = Buffer.from("the key of the account").toString("base64");

/** Whether a request about blobs or files is signed. */
export function isSigned({ method, headers, path, query }: ApiRequest): boolean {
  const h = (name: string) => headers[name] ?? "";
  const length = h("content-length") === "0" ? "" : h("content-length");
  const own = Object.keys(headers).filter((name) => name.startsWith("x-ms-")).sort().map((name) =>
    `${name}:${h(name)}\n`
  );
  const parameters = Object.keys(query).sort().map((name) => `\n${name}:${query[name]}`);
  const text = `${method}\n\n\n${length}\n\n${h("content-type")}\n\n\n\n\n\n\n${
    own.join("")
  }/${ACCOUNT}${path}${parameters.join("")}`;
  return isSignature(headers, text) && headers["x-ms-version"] === "2021-12-02";
}

/** Whether a request about tables is signed. */
export function isSignedForTables({ method, headers, path }: ApiRequest): boolean {
  const type = headers["content-type"] ?? "";
  return isSignature(headers, `${method}\n\n${type}\n${headers["x-ms-date"]}\n/${ACCOUNT}${path}`);
}

/** Whether an address has a signature for a blob of this container and name, which must not be encoded. */
export function isShared(url: URL, resource: string): boolean {
  const { sp, se, sv, sr, sig } = Object.fromEntries(url.searchParams);
  const text = `${sp}\n\n${se}\n/blob/${ACCOUNT}/${resource}\n\n\n\n${sv}\n${sr}\n\n\n\n\n\n\n`;
  return sig === createHmac("sha256", Buffer.from(KEY, "base64")).update(text, "utf8").digest("base64");
}

function isSignature({ authorization }: ApiRequest["headers"], text: string): boolean {
  const signature = createHmac("sha256", Buffer.from(KEY, "base64")).update(text, "utf8").digest("base64");
  return authorization === `SharedKey ${ACCOUNT}:${signature}`;
}
