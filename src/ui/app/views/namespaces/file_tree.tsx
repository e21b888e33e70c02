/** The tree of files: folders are loaded when they are opened. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { may } from "../../core/access.ts";
import { useResource } from "../../core/resource.ts";
import { sizeText } from "../../core/sizes.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { ICONS } from "../../layout/icons.tsx";
import { t } from "../../texts/mod.ts";
import { type FileEntry, listFolder, pathBelow, searchFiles } from "./files.ts";

interface FileTreeProps {
  readonly namespace: string;
  /** Path of the entry that is shown; folders end with a slash. */
  readonly selected: string;
  /** Changes when files were changed; the open folders are loaded again. */
  readonly version: number;
  /** Moves what was dragged onto a folder. */
  readonly onMove: (path: string, folder: string) => void;
}

/** Further matches are counted only. */
const MAX_MATCHES = 200;
/** What is dragged within the tree. */
const DRAGGED = "application/x-namespace-file";

/** The tree below the root. */
export function FileTree(props: FileTreeProps) {
  return (
    <nav aria-label={t("namespaces.files")} {...dropTarget("/", props.onMove)}>
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
      <div
        class="node"
        aria-current={tree.selected === path ? "true" : undefined}
        {...dropTarget(path, tree.onMove)}
      >
        <button
          type="button"
          class="plain"
          aria-expanded={isOpen.value}
          aria-label={t("namespaces.openFolder", { name: entry.fileName })}
          onClick={() => isOpen.value = !isOpen.value}
        >
          {isOpen.value ? "▾" : "▸"}
        </button>
        <a href={hrefOf(path)} onClick={() => isOpen.value = true} onDragStart={(event) => drag(event, path)}>
          {entry.fileName}/
        </a>
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
        onDragStart={(event) => drag(event, path)}
        aria-current={selected === path ? "true" : undefined}
      >
        {ICONS.logs}
        <span>{entry.fileName}</span>
        <span class="dim num">{sizeText(entry.size)}</span>
      </a>
    </li>
  );
}

function drag({ dataTransfer }: DragEvent, path: string): void {
  dataTransfer?.setData(DRAGGED, path);
}

/** Handlers of an element onto which entries are dragged. */
function dropTarget(folder: string, onMove: FileTreeProps["onMove"]) {
  return {
    onDragOver: (event: DragEvent) => {
      if (may("change") && event.dataTransfer?.types.includes(DRAGGED)) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      const path = event.dataTransfer?.getData(DRAGGED) ?? "";
      if (path === "") return;
      event.preventDefault();
      event.stopPropagation();
      onMove(path, folder);
    },
  };
}

/** The files whose path contains a text; large and small letters are the same. */
export function FileMatches({ namespace, version, text, selected }: {
  readonly namespace: string;
  readonly version: number;
  readonly text: string;
  readonly selected: string;
}) {
  const paths = useResource(`${namespace} ${version}`, (signal) => searchFiles(namespace, signal));
  const wanted = text.toLowerCase();
  return (
    <Loaded resource={paths} rows={2}>
      {(all) => {
        const found = all.filter((path) => path.toLowerCase().includes(wanted));
        return (
          <nav aria-label={t("files.matches")}>
            {found.length === 0 && <p class="dim">{t("namespaces.noMatch")}</p>}
            <ul class="tree">
              {found.slice(0, MAX_MATCHES).map((path) => (
                <li key={path}>
                  <a class="node" href={hrefOf(path)} aria-current={selected === path ? "true" : undefined}>
                    {ICONS.logs}
                    <span>{path}</span>
                  </a>
                </li>
              ))}
            </ul>
            {found.length > MAX_MATCHES && (
              <p class="dim">{t("files.moreMatches", { count: found.length })}</p>
            )}
          </nav>
        );
      }}
    </Loaded>
  );
}

/** Address of an entry: the page of a namespace and that of a flow show its files. */
export function hrefOf(path: string): string {
  return `${location.pathname}?file=${encodeURIComponent(path)}`;
}
