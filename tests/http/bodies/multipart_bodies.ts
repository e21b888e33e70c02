/** Multipart bodies in pieces, and what reading them gives. */
import { type MultipartLimits, readForm, readMultipart } from "../../../src/http/bodies/multipart.ts";
import { DomainError } from "../../../src/model/errors.ts";

/** Bounds that small bodies reach. */
export const SMALL_LIMITS: MultipartLimits = { maxBytes: 20_000, maxParts: 20, maxFieldBytes: 5_000 };

/** A body cut at these offsets; empty pieces are left out. */
export function cutAt(body: Uint8Array, offsets: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const ends = [...new Set([...offsets.filter((at) => at > 0 && at < body.length), body.length])].sort((
    a,
    b,
  ) => a - b);
  return ends.map((end, index) => body.slice(index === 0 ? 0 : ends[index - 1], end)).filter(({ length }) =>
    length > 0
  );
}

/** The fields of a form that arrives in these pieces, or its refusal, as text. @throws errors other than DomainError */
export async function outcomeOf(
  pieces: readonly Uint8Array[],
  contentType: string,
  limits: MultipartLimits = SMALL_LIMITS,
): Promise<string> {
  const body = ReadableStream.from(pieces);
  const request = new Request("http://localhost/", {
    method: "POST",
    body,
    headers: { "content-type": contentType },
  });
  try {
    return JSON.stringify(await fieldsOf(request, limits));
  } catch (error) {
    if (error instanceof DomainError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

/** Fields as texts, files as their bytes. */
async function fieldsOf(request: Request, limits: MultipartLimits): Promise<unknown[]> {
  if (!/^multipart\/form-data\b/i.test(request.headers.get("content-type") ?? "")) {
    return await readForm(request, limits);
  }
  const fields: unknown[] = [];
  for await (const part of readMultipart(request, limits)) {
    const { name, fileName, contentType } = part;
    const value = fileName === undefined ? await part.text() : `file ${(await part.bytes()).join(" ")}`;
    fields.push({ name, value, fileName, contentType });
  }
  return fields;
}
