/** Bodies of requests as clients send them, with their content types. */

/** A request with a YAML body. */
export function yaml(body: string): RequestInit {
  return { headers: { "content-type": "application/x-yaml" }, body };
}

/** A request with a JSON body; a text is sent as it is. */
export function json(body: unknown): RequestInit {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { headers: { "content-type": "application/json" }, body: text };
}

/** A multipart body as clients write it, of raw parts. */
export function multipart(...parts: readonly string[]): RequestInit {
  const body = parts.map((part) => `--b\r\n${part}\r\n`).join("") + "--b--\r\n";
  return { headers: { "content-type": "multipart/form-data; boundary=b" }, body };
}

/** A form with one file in the part `name`. */
export function fileForm(content: BlobPart, fileName = "upload.txt", name = "fileContent"): RequestInit {
  const body = new FormData();
  body.set(name, new Blob([content]), fileName);
  return { body };
}
