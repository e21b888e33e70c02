/** Files, KV pairs and secrets with their routes, over a memory store with fault injection. */
import { Hono } from "hono";
import { Cipher } from "../../../src/base/crypto/cipher.ts";
import { IdSource } from "../../../src/base/id.ts";
import { DomainError } from "../../../src/model/errors.ts";
import type { AppEnv } from "../../../src/http/env.ts";
import { problemResponse } from "../../../src/http/responses/problem.ts";
import { fileRoutes } from "../../../src/http/routes/namespaces/files.ts";
import { kvPairRoutes } from "../../../src/http/routes/namespaces/kv_pairs.ts";
import { secretRoutes } from "../../../src/http/routes/namespaces/secrets.ts";
import { Files } from "../../../src/services/files/files.ts";
import { FileTransfer } from "../../../src/services/files/file_transfer.ts";
import { KvPairs } from "../../../src/services/namespaces/kv_pairs.ts";
import { environmentFor } from "../../../src/services/namespaces/environment_secrets.ts";
import { Secrets } from "../../../src/services/namespaces/secrets.ts";
import { Blobs } from "../../../src/store/blobs/blobs.ts";
import { FileRecords } from "../../../src/store/records/file_records.ts";
import { KvPairRecords } from "../../../src/store/records/kv_pair_records.ts";
import { MemoryStore } from "../fakes/memory_store.ts";
import { SecretRecords } from "../../../src/store/records/secret_records.ts";
import { FakeClock } from "../fakes/fake_clock.ts";
import { FaultyStore } from "../fakes/faulty_store.ts";
import { quietCommitter } from "../fakes/quiet_committer.ts";

/** The caller in these tests. */
export const ACTOR = { tenant: "main", user: "anonymous" };

/** How the services are set up. */
export interface NamespaceSetup {
  readonly maxUploadBytes?: number;
  readonly fileRevisions?: number;
  readonly environment?: ReadonlyMap<string, string>;
  /** Tenants beside `main` that read it. */
  readonly secretTenants?: readonly string[];
  readonly keyByte?: number;
  /** The store of a previous process. */
  readonly inner?: MemoryStore;
  readonly clock?: FakeClock;
}

/** Starts the services. Nothing has to be closed. */
export async function startNamespaceServices(setup: NamespaceSetup = {}) {
  const clock = setup.clock ?? new FakeClock();
  const inner = setup.inner ?? new MemoryStore(clock);
  const store = new FaultyStore(inner);
  const committer = quietCommitter(store, clock);
  await committer.start();
  const blobs = new Blobs({ store, committer, ids: new IdSource(), clock });
  const kvRecords = new KvPairRecords({ store, committer, blobs });
  const existing = { has: () => Promise.resolve(true) };
  const kvPairs = new KvPairs({ records: kvRecords, clock, tenants: () => ["main", "other"], existing });
  const cipher = await Cipher.fromKey(new Uint8Array(32).fill(setup.keyByte ?? 7));
  const environment = setup.environment ?? new Map();
  const environmentOf = environmentFor(setup.secretTenants ?? [], environment);
  const secrets = new Secrets({ records: new SecretRecords(store, committer), cipher, clock, environmentOf });
  const imported: string[] = [];
  const maxUploadBytes = setup.maxUploadBytes ?? 64 * 1024 * 1024;
  const files = new Files({
    records: new FileRecords(store),
    blobs,
    committer,
    clock,
    maxUploadBytes,
    fileRevisions: setup.fileRevisions ?? 20,
    importFlow: (tenant, namespace, source) => {
      imported.push(`${tenant}/${namespace}: ${source}`);
      return Promise.resolve();
    },
  });
  const flowItems = () => [];
  const checkFlow = (_actor: unknown, _namespace: string, source: string) => {
    if (source.startsWith("id:")) return Promise.resolve();
    return Promise.reject(new DomainError("invalid_entity", "the flow has no id"));
  };
  const transfer = new FileTransfer({ files, blobs, maxUploadBytes, flowItems, checkFlow });
  const app = new Hono<AppEnv>();
  app.use(async (c, next) => {
    c.set("actor", ACTOR);
    await next();
  });
  app.route("/", kvPairRoutes(kvPairs));
  app.route("/", secretRoutes(secrets));
  app.route("/", fileRoutes({ files, transfer, maxUploadBytes }));
  app.onError((error, c) =>
    problemResponse(error, { path: c.req.path, requestId: "r", accept: null, baseUrl: "" })
  );
  return { clock, inner, store, committer, blobs, kvPairs, secrets, files, transfer, app, imported };
}

/** `size` bytes whose values depend on their positions. */
export function patternBytes(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i++) bytes[i] = (i * 31 + (i >> 8)) & 0xff;
  return bytes;
}

/** A stream of the pieces, one chunk each. */
export function sourceOf(...pieces: readonly (Uint8Array | string)[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return ReadableStream.from(
    pieces.map((piece) => typeof piece === "string" ? encoder.encode(piece) : piece),
  );
}

/** All bytes of a stream. */
export async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).bytes();
}

/** All text of a stream. */
export async function collectText(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new TextDecoder().decode(await collect(stream));
}

/** The result of {@link startNamespaceServices}. */
export type NamespaceTestServices = Awaited<ReturnType<typeof startNamespaceServices>>;

/** Sorted paths of all files and directories of a namespace; a directory ends with a slash. */
export async function treeOf({ files }: NamespaceTestServices, namespace: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path, content } of files.listAll(ACTOR, namespace)) {
    paths.push(content ? path : `${path}/`);
  }
  return paths.sort();
}
