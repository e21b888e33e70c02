/** Checks the data directory itself, once the server has left it. */
import { checkStore } from "../../../src/store/check/check.ts";
import { KvStore } from "../../../src/store/kv_store.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import type { Findings } from "./findings.ts";

/** Files of the database; the log is absent after an orderly stop. */
const NAMES = ["sluice.db", "sluice.db-wal"];

/** Adds what the check of a whole database finds in a copy: the recovery of the original is the next server's. */
export async function verifyData(dataDir: string, findings: Findings): Promise<void> {
  await withTempDir(async (folder) => {
    for (const name of NAMES) await copyIfPresent(`${dataDir}/${name}`, `${folder}/${name}`);
    const store = await KvStore.open(`${folder}/${NAMES[0]}`);
    try {
      for (const { code, severity, count, examples } of (await checkStore(store)).findings.list()) {
        // Leftovers are harmless.
        if (severity !== "leftover") {
          findings.add("illegal", `data ${code}`, `${count}: ${examples.join("; ")}`);
        }
      }
    } finally {
      store.close();
    }
  });
}

async function copyIfPresent(from: string, to: string): Promise<void> {
  await Deno.copyFile(from, to).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
