/** The tree of files: folders are loaded when they are opened. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useResource } from "../../core/resource.ts";
import { sizeText } from "../../core/sizes.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { ICONS } from "../../layout/icons.tsx";
import { t } from "../../texts/mod.ts";
import { type FileEntry, listFolder, pathBelow } from "./files.ts";

interface FileTreeProps {
  readonly namespace: string;
  /** Path of the entry that is shown; folders end with a slash. */
  readonly selected: string;
  /** Changes when files were changed; the open folders are loaded again. */
  readonly version: number;
}

/** The tree below the root. */
export function FileTree(props: FileTreeProps) {
  return (
    <nav aria-label={t("namespaces.files")}>
      <Folder {...props} path="/" />
    </nav>
  );
}

function Folder({ path, version, ...place }: FileTreeProps & { readonly path: string }) {
  const { namespace } = place;
  const entries = useResource(namespace + path, (signal) => listFolder(namespace, path, signal));
  const loaded = useSignal(version);
  useEffect(() => {
    if (loaded.peek() !== version) void entries.reload().then(() => loaded.value = version);
  }, [version]);
  // A folder below is loaded again after this one, as it may be gone.
  const tree = { ...place, version: loaded.value };
  return (
    <Loaded resource={entries} rows={2}>
      {(found) => (
        <ul class="tree">
          {found.length === 0 && path !== "/" && <li class="dim">{t("namespaces.emptyFolder")}</li>}
          {found.map((entry) =>
            entry.type === "Directory"
              ? <FolderEntry key={entry.fileName} {...tree} path={pathBelow(path, entry)} entry={entry} />
              : <FileLink key={entry.fileName} {...tree} path={pathBelow(path, entry)} entry={entry} />
          )}
        </ul>
      )}
    </Loaded>
  );
}

interface EntryProps extends FileTreeProps {
  readonly path: string;
  readonly entry: FileEntry;
}

function FolderEntry({ entry, path, ...tree }: EntryProps) {
  const isOpen = useSignal(tree.selected.startsWith(path));
  return (
    <li>
      <div class="node" aria-current={tree.selected === path ? "true" : undefined}>
        <button
          type="button"
          class="plain"
          aria-expanded={isOpen.value}
          aria-label={t("namespaces.openFolder", { name: entry.fileName })}
          onClick={() => isOpen.value = !isOpen.value}
        >
          {isOpen.value ? "▾" : "▸"}
        </button>
        <a href={hrefOf(path)} onClick={() => isOpen.value = true}>{entry.fileName}/</a>
      </div>
      {isOpen.value && <Folder {...tree} path={path} />}
    </li>
  );
}

function FileLink({ entry, path, selected }: EntryProps) {
  return (
    <li>
      <a
        class="node"
        href={hrefOf(path)}
        aria-current={selected === path ? "true" : undefined}
      >
        {ICONS.logs}
        <span>{entry.fileName}</span>
        <span class="dim num">{sizeText(entry.size)}</span>
      </a>
    </li>
  );
}

/** Address of an entry: the page of a namespace and that of a flow show its files. */
export function hrefOf(path: string): string {
  return `${location.pathname}?file=${encodeURIComponent(path)}`;
}
