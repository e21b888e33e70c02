/** What a file shows: an image, a table, formatted JSON or Markdown. */
import { useResource } from "../../../core/resource.ts";
import { EmptyState, Loaded } from "../../../kit/feedback.tsx";
import { PreviewContent } from "../../../kit/file_preview.tsx";
import { LazyMarkdown } from "../../../kit/lazy_markdown.ts";
import { t } from "../../../texts/mod.ts";
import { nameOf, readBase64 } from "../files.ts";

const IMAGES: ReadonlySet<string> = new Set(["png", "jpg", "jpeg", "gif", "svg", "bmp", "webp", "ico"]);
const TEXTS: ReadonlySet<string> = new Set(["csv", "tsv", "json", "md", "markdown"]);
/** Longer tables and texts are cut. */
const MAX_LINES = 500;

/** True if there is more to show than the text. */
export function isPreviewable(path: string): boolean {
  const extension = extensionOf(path);
  return IMAGES.has(extension) || TEXTS.has(extension);
}

interface FilePreviewProps {
  readonly namespace: string;
  readonly path: string;
  /** As it is typed; absent for files that are no text. */
  readonly text?: string;
}

/** The preview. */
export function FilePreview({ namespace, path, text }: FilePreviewProps) {
  const extension = extensionOf(path);
  if (IMAGES.has(extension)) return <Image key={text} namespace={namespace} path={path} />;
  if (text === undefined) return <EmptyState title={t("namespaces.noText")} />;
  if (extension.startsWith("m")) {
    return <LazyMarkdown key={text} text={text} />;
  }
  const lines = text.split("\n");
  const isCut = extension !== "json" && lines.length > MAX_LINES;
  return (
    <>
      {isCut && <p class="dim">{t("file.truncated", { count: MAX_LINES })}</p>}
      <PreviewContent
        type="TEXT"
        extension={extension}
        content={isCut ? lines.slice(0, MAX_LINES).join("\n") : text}
      />
    </>
  );
}

function Image({ namespace, path }: FilePreviewProps) {
  const image = useResource(`${namespace}${path}`, (signal) => readBase64(namespace, path, signal));
  return (
    <Loaded resource={image}>
      {(content) => <PreviewContent type="IMAGE" extension={extensionOf(path)} content={content} />}
    </Loaded>
  );
}

function extensionOf(path: string): string {
  return nameOf(path).split(".").slice(1).at(-1)?.toLowerCase() ?? "";
}
