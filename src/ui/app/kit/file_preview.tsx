/** Files of an execution: their address as buttons that show and load them, and the preview itself. */
import { useState } from "preact/hooks";
import { get, urlOf } from "../api/client.ts";
import { apiPath } from "../core/places.ts";
import { useResource } from "../core/resource.ts";
import { t } from "../texts/mod.ts";
import { Dialog } from "./dialog.tsx";
import { EmptyState, Loaded } from "./feedback.tsx";

interface Preview {
  readonly extension: string;
  readonly type: "TEXT" | "LIST" | "IMAGE" | "MARKDOWN" | "PDF";
  /** Base64 for images; values for lists. */
  readonly content: unknown;
  readonly maxLine: number;
  readonly truncated: boolean;
}

interface FileProps {
  readonly executionId: string;
  readonly uri: string;
}

const FILE_URI = /^[a-z]+:\/\/\/.+\/(?:executions|tasks|inputs|_files)\//;

/** True for the address of a file of the storage. */
export function isFileUri(text: string): boolean {
  return FILE_URI.test(text);
}

/** The name of a file, with a preview and a download. */
export function FileLink({ executionId, uri }: FileProps) {
  const [isOpen, setOpen] = useState(false);
  const name = uri.split("/").at(-1) ?? uri;
  const download = urlOf(apiPath("executions", executionId, "file"), { path: uri });
  return (
    <span class="file-link">
      <span class="mono" title={uri}>{name}</span>
      <button type="button" onClick={() => setOpen(true)}>{t("file.preview")}</button>
      <a class="button" href={download} download={name}>{t("file.download")}</a>
      {isOpen && <PreviewDialog executionId={executionId} uri={uri} onClose={() => setOpen(false)} />}
    </span>
  );
}

function PreviewDialog({ executionId, uri, onClose }: FileProps & { readonly onClose: () => void }) {
  const path = apiPath("executions", executionId, "file", "preview");
  const preview = useResource(uri, (signal) => get<Preview>(path, { path: uri }, signal));
  return (
    <Dialog wide title={uri.split("/").at(-1) ?? uri} onClose={onClose}>
      <Loaded resource={preview}>
        {(loaded) => (
          <>
            {loaded.truncated && <p class="dim">{t("file.truncated", { count: loaded.maxLine })}</p>}
            <PreviewContent {...loaded} />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([["svg", "svg+xml"], ["jpg", "jpeg"], [
  "ico",
  "x-icon",
]]);

/** The content as an image, a table or a text. */
export function PreviewContent(
  { type, extension, content }: Pick<Preview, "type" | "extension" | "content">,
) {
  const ending = extension.toLowerCase();
  if (type === "IMAGE") {
    const source = `data:image/${MEDIA_TYPES.get(ending) ?? ending};base64,${content}`;
    return <img class="preview" src={source} alt={t("file.image")} />;
  }
  if (type === "PDF") return <EmptyState title={t("file.noPreview")} />;
  if (type === "LIST" && Array.isArray(content)) return <Rows rows={content} />;
  const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
  if (ending === "csv" || ending === "tsv") {
    return <CsvTable text={text} separator={ending === "csv" ? "," : "\t"} />;
  }
  return <pre class="preview" tabIndex={0}>{ending === "json" ? indented(text) : text}</pre>;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // It is not JSON, or only its beginning is here.
  }
}

function Rows({ rows }: { readonly rows: readonly unknown[] }) {
  const names = [...new Set(rows.flatMap((row) => isRecord(row) ? Object.keys(row) : []))];
  if (names.length === 0) return <pre class="preview" tabIndex={0}>{rows.map(cellText).join("\n")}</pre>;
  const cells = rows.map((row) => names.map((name) => isRecord(row) ? cellText(row[name]) : ""));
  return <Cells head={names} rows={cells} />;
}

function CsvTable({ text, separator }: { readonly text: string; readonly separator: string }) {
  const [head = [], ...rows] = parseCsv(text, separator);
  return <Cells head={head} rows={rows} />;
}

function Cells(
  { head, rows }: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] },
) {
  return (
    <div class="preview-table" tabIndex={0} role="group" aria-label={t("file.preview")}>
      <table>
        <thead>
          <tr>{head.map((name, index) => <th key={index}>{name}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>{row.map((cell, column) => <td key={column}>{cell}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The rows of a CSV text; quoted cells may contain separators, quotes and line breaks (RFC 4180). */
export function parseCsv(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(`("(?:[^"]|"")*"?|[^${separator}\\r\\n]*)(${separator}|\\r?\\n|$)`, "gy");
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    const [whole, value = "", end] = match;
    row.push(value.startsWith('"') ? value.replace(/^"|"$/g, "").replaceAll('""', '"') : value);
    if (end !== separator) {
      if (row.length > 1 || row[0] !== "") rows.push(row);
      row = [];
    }
    if (whole === "" || cell.lastIndex >= text.length) break;
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
