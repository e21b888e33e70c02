/** Trees of git as flat lists of files. */
import type nodeFs from "node:fs";
import git from "isomorphic-git";

/** Files of a repository. */
const MAX_FILES = 100_000;

/** A file, a link or a submodule. */
interface TreeFile {
  /** From the root, parts joined by slashes. */
  readonly path: string;
  readonly oid: string;
  /** Octal digits as in a tree. */
  readonly mode: string;
  /** A regular file; neither a link nor a submodule. */
  readonly isFile: boolean;
}

type Place = { readonly fs: typeof nodeFs; readonly dir: string; readonly cache?: object };

/** All files of a commit. @throws Error a name that no file may have, or too many files */
export async function treeFiles(place: Place, commit: string): Promise<TreeFile[]> {
  const files: TreeFile[] = [];
  const folders = [{ prefix: "", oid: commit }];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    const { tree } = await git.readTree({ ...place, oid: folder.oid });
    const names = new Set<string>();
    for (const { path: name, oid, mode, type } of tree) {
      checkName(name, names);
      const path = folder.prefix + name;
      if (type === "tree") folders.push({ prefix: `${path}/`, oid });
      else files.push({ path, oid, mode, isFile: /^1006/.test(mode) || /^1007/.test(mode) });
    }
    if (files.length > MAX_FILES) throw new Error(`the repository has more than ${MAX_FILES} files`);
  }
  return files;
}

/** A damaged tree could otherwise write outside of the directory, or through a link of the same name. */
function checkName(name: string, names: Set<string>): void {
  const isWrong = name === "" || name === "." || name === ".." || /^\.git$/i.test(name) ||
    /[/\\\0]/.test(name);
  if (isWrong || names.has(name)) {
    throw new Error(`the repository has a file with the name ${JSON.stringify(name)}`);
  }
  names.add(name);
}

interface Folder {
  readonly files: TreeFile[];
  readonly folders: Map<string, Folder>;
}

/** Writes the trees of these files; returns the id of the root. */
export async function writeTree(place: Place, files: readonly TreeFile[]): Promise<string> {
  const root: Folder = { files: [], folders: new Map() };
  for (const file of files) {
    const parts = file.path.split("/");
    let folder = root;
    for (const part of parts.slice(0, -1)) {
      const next = folder.folders.get(part) ?? { files: [], folders: new Map() };
      folder.folders.set(part, next);
      folder = next;
    }
    folder.files.push(file);
  }
  return await writeFolder(place, root);
}

async function writeFolder(place: Place, { files, folders }: Folder): Promise<string> {
  const tree = files.map(({ path, oid, mode }) => ({
    path: path.slice(path.lastIndexOf("/") + 1),
    oid,
    mode,
    type: mode === "160000" ? "commit" as const : "blob" as const,
  }));
  const below = [];
  for (const [path, folder] of folders) {
    below.push({ path, oid: await writeFolder(place, folder), mode: "040000", type: "tree" as const });
  }
  return await git.writeTree({ ...place, tree: [...tree, ...below] });
}
