/** Files of another server. */
import { assertRejects } from "@std/assert";
import { filesBelow, type RemoteFile, type RemoteFiles } from "../../../src/integrations/fs/remote_files.ts";

const FOLDER = { isFolder: true, isFile: false, size: 0 };

Deno.test("a server has at most 100,000 folders within a folder", async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => String(index));
  const files = {
    find: (path: string): Promise<RemoteFile> => Promise.resolve({ path, name: "", ...FOLDER }),
    list: (path: string) =>
      Promise.resolve(names.map((name) => ({ path: `${path}/${name}`, name, ...FOLDER }))),
  } as unknown as RemoteFiles;
  await assertRejects(
    () => filesBelow(files, "a", { recursive: true, matches: () => true }),
    Error,
    '"a" has more than 100000 folders',
  );
});
