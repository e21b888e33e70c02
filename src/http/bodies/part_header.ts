/** The header of a part of a multipart body (RFC 7578), with the deviations of browsers and common clients. */
import { malformed } from "./delimited_reader.ts";

/** The header of a part. */
export interface PartHeader {
  readonly name: string;
  /** As sent, not trusted as a path. Present for files. */
  readonly fileName?: string;
  readonly contentType?: string;
}

const LINE = /^([\w!#$%&'*+.^`|~-]+):(.*)$/;
const PARAMETER = /;[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))[ \t]*/y;

/** Reads the lines of a header. @throws DomainError invalid_argument */
export function parsePartHeader(lines: readonly string[]): PartHeader {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = "", value = ""] = LINE.exec(line) ?? [];
    if (name === "") throw malformed("a line of the header of a part is not a header");
    if (headers.has(name.toLowerCase())) throw malformed(`a part has two headers "${name.slice(0, 100)}"`);
    headers.set(name.toLowerCase(), value.trim());
  }
  const parameters = parseDisposition(headers.get("content-disposition"));
  const name = parameters.get("name");
  if (name === undefined) throw malformed("a part has no name");
  const fileName = extendedValue(parameters.get("filename*")) ?? parameters.get("filename");
  const contentType = headers.get("content-type");
  return {
    name,
    ...(fileName !== undefined && { fileName }),
    ...(contentType !== undefined && { contentType }),
  };
}

function parseDisposition(text: string | undefined): Map<string, string> {
  const type = text?.split(";", 1)[0] ?? "";
  if (text === undefined || type.trim().toLowerCase() !== "form-data") {
    throw malformed("a part is not form data");
  }
  const parameters = new Map<string, string>();
  let at = type.length;
  while (at < text.length) {
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(text);
    if (match === null) throw malformed("the disposition of a part cannot be read");
    const [whole, name = "", quoted, plain = ""] = match;
    if (parameters.has(name.toLowerCase())) {
      throw malformed(`a part has two parameters "${name.slice(0, 100)}"`);
    }
    parameters.set(name.toLowerCase(), quoted === undefined ? plain : unquote(quoted));
    at += whole.length;
  }
  return parameters;
}

/** Browsers write `%22`, others `\"`; any other backslash belongs to the name. */
function unquote(text: string): string {
  return text.replace(
    /\\(["\\])|%(22|0D|0A)/gi,
    (_, escaped: string | undefined, code: string) =>
      escaped ?? String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** `UTF-8''na%C3%AFve.txt` (RFC 8187), which some clients send although RFC 7578 forbids it; `undefined` for another form. */
function extendedValue(text: string | undefined): string | undefined {
  const [, encoded] = /^utf-8'[^']*'((?:%[\da-f]{2}|[\w!#$&+.^`|~-])*)$/i.exec(text ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const bytes = encoded.match(/%..|./g)?.map((each) =>
    each.length > 1 ? Number.parseInt(each.slice(1), 16) : each.charCodeAt(0)
  );
  return new TextDecoder().decode(Uint8Array.from(bytes ?? []));
}
