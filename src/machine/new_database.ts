/** The file of a new database, before Deno KV uses it. */

/**
 * Makes SQLite give the pages of removed data back to the disk with each commit. It can be set only while the file is
 * empty; otherwise removed pages stay in the file until new data fills them.
 */
export async function prepareNewDatabase(path: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path);
  try {
    // The second one writes the first page, and is what Deno KV sets.
    database.exec("PRAGMA auto_vacuum = FULL; PRAGMA journal_mode = WAL");
  } finally {
    database.close();
  }
}
