/** Removes files and folders that scripts have made. */

/** Number and depth of folders up to which this process removes them itself. */
const MAX_FOLDERS = 32;
const MAX_DEPTH = 8;

/**
 * Removes a file, a link (not its target) or a folder with its content, also what a script has made read-only. The platform
 * descends recursively: a tree of 20,000 levels overflows its stack and ends the server, so `rm` removes what is not small.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    if (!await isSmall(path)) return await removeLarge(path);
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    await removeLarge(path);
  }
}

async function removeLarge(path: string): Promise<void> {
  const isRemoved = await run("/bin/rm", ["-rf", "--", path]);
  if (isRemoved) return;
  // A server without scripts may start no program. Then no script has made the tree, and it is not too deep.
  if (isRemoved === undefined) return await Deno.remove(path, { recursive: true });
  await run("/bin/chmod", ["-R", "u+rwX", "--", path]);
  if (await run("/bin/rm", ["-rf", "--", path])) return;
  throw new Error(`Cannot remove "${path}": /bin/rm does not succeed`);
}

/** @throws PermissionDenied, NotFound */
async function isSmall(path: string): Promise<boolean> {
  if (!(await Deno.lstat(path)).isDirectory) return true;
  const folders = [{ path, depth: 0 }];
  for (let next = 0; next < folders.length; next++) {
    const folder = folders[next];
    if (!folder || folders.length > MAX_FOLDERS || folder.depth > MAX_DEPTH) return false;
    for await (const { name, isDirectory } of Deno.readDir(folder.path)) {
      if (isDirectory) folders.push({ path: `${folder.path}/${name}`, depth: folder.depth + 1 });
      if (folders.length > MAX_FOLDERS) return false;
    }
  }
  return true;
}

/** Whether the program succeeded; `undefined` if it cannot be started. */
async function run(program: string, args: string[]): Promise<boolean | undefined> {
  const options = { args, env: { LC_ALL: "C" }, clearEnv: true, stdout: "null", stderr: "null" } as const;
  try {
    return (await new Deno.Command(program, options).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
