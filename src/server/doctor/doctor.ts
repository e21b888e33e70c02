/** `sluice doctor`: checks a data directory that no server uses, and repairs what is derived. */
import { DatabaseSync } from "node:sqlite";
import { systemClock, toIso } from "../../base/time/clock.ts";
import { systemRandomBytes } from "../../base/id.ts";
import { silentLogger } from "../../base/log.ts";
import type { DoctorOptions } from "../../config/mod.ts";
import { ByteFileFolder } from "../../machine/byte_files.ts";
import { DataDir, DataDirError } from "../../machine/data_dir.ts";
import type { ProcessPlatform } from "../../machine/server_process/server_process.ts";
import { checkStore } from "../../store/check/check.ts";
import { rewriteColumnFiles } from "../../store/check/column_files.ts";
import type { CheckContext } from "../../store/check/context.ts";
import { repairDerived, type Repaired } from "../../store/check/repair.ts";
import { Committer } from "../../store/committer.ts";
import { INSTANCE, META_KEY } from "../../store/keys.ts";
import { KvStore } from "../../store/kv_store.ts";
import { checkData, DataMismatchError, keyFingerprint, raiseFormat } from "../../store/meta.ts";
import { type DoctorReport, exitCodeOf, jsonOf, textOf } from "./report.ts";

type Output = Pick<ProcessPlatform, "print" | "printError">;

/** Exit code when nothing could be checked. */
const NOT_CHECKED = 2;
const PROGRESS_MS = 2_000;
const RECORDS_PER_LOOK = 1_000;
/** Messages of the database about its pages. */
const MAX_MESSAGES = 20;

/** Runs the doctor and prints what it found; gives the exit code. */
export async function runDoctor(options: DoctorOptions, output: Output): Promise<number> {
  try {
    await using directory = await DataDir.lockExisting(options.dataDir, {
      clock: systemClock,
      randomBytes: systemRandomBytes,
      processId: Deno.pid,
    });
    const report = await examine(directory, options, output);
    output.print(options.isJson ? jsonOf(report) : textOf(report));
    return exitCodeOf(report);
  } catch (error) {
    output.printError(error instanceof DataDirError ? error.message : `Cannot check: ${messageOf(error)}`);
    return NOT_CHECKED;
  }
}

async function examine(directory: DataDir, options: DoctorOptions, output: Output): Promise<DoctorReport> {
  const startMs = systemClock.monotonicMs();
  const walBytes = await directory.walBytes();
  const damages = damagesOf(directory.databasePath);
  const store = await KvStore.open(directory.databasePath).catch((error: Error) => {
    const details = damages.map((damage) => `\n  ${damage}`).join("");
    throw new DataDirError(
      `Cannot check the data directory "${directory.path}": its database cannot be opened: ${
        messageOf(error)
      }; restore a copy${details}`,
    );
  });
  try {
    const progress = createProgress(output);
    const files = await ByteFileFolder.open(directory.catalogFolder);
    const check = () => checkAll(store, { directory, options, damages, progress, files });
    let context = await check();
    let repaired: DoctorReport["repaired"];
    const isRepairable = context.isComplete && damages.length === 0;
    if (options.isRepair && isRepairable) {
      const found = context.findings.list();
      await ByteFileFolder.remove(directory.catalogFolder);
      if (context.repairs.length + context.rows.length > 0) {
        const copy = options.hasCopy ? await directory.copyDatabase(copyName()) : undefined;
        repaired = { ...await repair(store, context), copy, found };
      } else if (found.some(({ code }) => code === "columns_differ")) {
        repaired = { rows: 0, otherRecords: 0, copy: undefined, found };
      }
      await rewriteColumnFiles(store, { tenants: context.tenants, files, clock: systemClock });
      if (repaired) context = await check();
    }
    const seconds = (systemClock.monotonicMs() - startMs) / 1000;
    const counts = Object.fromEntries(context.counts);
    const findings = context.findings.list();
    return { dataDir: directory.path, walBytes, counts, findings, isRepairable, repaired, seconds };
  } finally {
    store.close();
  }
}

interface CheckDeps {
  readonly directory: DataDir;
  readonly options: DoctorOptions;
  readonly damages: readonly string[];
  readonly progress: (records: number) => void;
  readonly files: ByteFileFolder;
}

async function checkAll(store: KvStore, deps: CheckDeps): Promise<CheckContext> {
  const { directory, options, damages, progress, files } = deps;
  const context = await checkStore(store, { progress, columns: { files, clock: systemClock } }).catch(
    (error) => {
      throw new Error([messageOf(error), ...damages].join("\n  "));
    },
  );
  for (const damage of damages) context.findings.add("file_damaged", "sluice.db", damage);
  const key = options.encryptionKey ?? await directory.readKey();
  if (!key) {
    context.findings.add(
      "key_missing",
      directory.keyPath,
      "give it with --encryption-key, or restore the file",
    );
  } else if (await store.get(META_KEY) === null) context.findings.add("meta_missing", "meta");
  else {
    await checkData(store, await keyFingerprint(key)).catch((error) => {
      if (!(error instanceof DataMismatchError)) throw error;
      context.findings.add("meta_differs", "meta", error.message);
    });
  }
  return context;
}

async function repair(store: KvStore, context: CheckContext): Promise<Repaired> {
  let failure: string | undefined;
  const committer = new Committer({
    store,
    instance: INSTANCE,
    clock: systemClock,
    logger: silentLogger(systemClock),
    onFatal: (reason) => failure = reason,
  });
  try {
    await raiseFormat(store);
    return await repairDerived(context, committer);
  } catch (error) {
    throw new DataDirError(`Cannot repair: ${failure ?? messageOf(error)}; run it again, nothing is lost`);
  } finally {
    await committer[Symbol.asyncDispose]();
  }
}

/** What the database says about its file; each page is read. */
function damagesOf(path: string): string[] {
  try {
    const database = new DatabaseSync(path);
    try {
      const rows = database.prepare(`PRAGMA integrity_check(${MAX_MESSAGES})`).all();
      const messages = rows.flatMap((row) => Object.values(row)).map(String);
      return messages.filter((message) => message !== "ok");
    } finally {
      database.close();
    }
  } catch (error) {
    return [messageOf(error)];
  }
}

/** Prints how far a long check is. */
function createProgress({ printError }: Output): (records: number) => void {
  let nextMs = systemClock.monotonicMs() + PROGRESS_MS;
  return (records) => {
    if (records % RECORDS_PER_LOOK !== 0 || systemClock.monotonicMs() < nextMs) return;
    nextMs = systemClock.monotonicMs() + PROGRESS_MS;
    printError(`  ${records.toLocaleString("en")} records read`);
  };
}

function copyName(): string {
  return `before-repair-${toIso(systemClock.now()).replaceAll(/[:.]/g, "-")}`;
}

function messageOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
