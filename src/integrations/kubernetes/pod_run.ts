/** The life of the pod of one attempt: it is created or found, followed to its end, and deleted. */
import { systemClock } from "../../base/time/clock.ts";
import { formatDuration, readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, objectsOf } from "../../base/json.ts";
import type { MachineTaskContext } from "../../model/tasks/machine_task.ts";
import type { ServerTaskContext } from "../../model/tasks/server_task.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { pause } from "../http_calls.ts";
import { Cluster } from "./cluster.ts";
import { packedInputs, releaseOutputs, sendInputs, storedOutputs } from "./pod_files.ts";
import { PodLogs } from "./pod_logs.ts";
import { attemptSelector, podManifest } from "./pod_manifest.ts";
import {
  failureOf,
  hasEnded,
  haveContainersEnded,
  isPodReady,
  nameOf,
  phaseOf,
  takesInputs,
  taskContainers,
} from "./pod_state.ts";
import { summaryOf } from "./resources.ts";

/** What the task may do. */
export type PodContext = ServerTaskContext & MachineTaskContext;

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5_000;
/** Tries to read the pod, the last one after a minute. */
const MAX_TRIES = 5;
const MAX_EVENTS = 20;

/** Runs the pod that the properties describe; returns the outputs. @throws Error it fails, is late, or disappears */
export async function runPod(context: PodContext): Promise<JsonObject> {
  const { properties, attempt } = context;
  const cluster = new Cluster(context);
  const manifest = podManifest({ properties, attempt, localDirectory: await context.workingDirectory() });
  const inputs = await packedInputs(context);
  const found = properties.resume === true ? await foundPod(context, cluster) : undefined;
  const run = new PodRun(context, cluster, nameOf(found ?? manifest));
  try {
    await (found ? run.adopt() : run.create(manifest));
    return await run.outputs(inputs);
  } finally {
    await run.end();
  }
}

async function foundPod(context: PodContext, cluster: Cluster): Promise<JsonObject | undefined> {
  const [pod, ...others] = await podsOfAttempt(context, cluster);
  if (others.length === 0) return pod;
  context.log("WARN", "There are several pods of this attempt: a new one is created");
  return undefined;
}

async function podsOfAttempt({ attempt }: PodContext, cluster: Cluster): Promise<JsonObject[]> {
  const list = await cluster.call({
    path: podsPath(cluster),
    query: { labelSelector: attemptSelector(attempt) },
    operation: "find the pods of the attempt",
  });
  return objectsOf(list.items);
}

function podsPath({ namespace }: Cluster): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
}

/** How long something of a pod is waited for. */
interface PodWait {
  /** Name of the property with the longest wait. */
  readonly limit: string;
  /** What was waited for, in an error. */
  readonly what: string;
  readonly isReached: (pod: JsonObject) => boolean;
}

/** One pod. */
class PodRun {
  readonly #context: PodContext;
  readonly #cluster: Cluster;
  readonly #name: string;
  readonly #path: string;
  readonly #logs: PodLogs;
  readonly #hasOutputs: boolean;
  /** It is a pod of this attempt, not of another owner with the same name. */
  #isOwn = false;

  constructor(context: PodContext, cluster: Cluster, name: string) {
    this.#context = context;
    this.#cluster = cluster;
    this.#name = name;
    this.#path = `${podsPath(cluster)}/${encodeURIComponent(name)}`;
    this.#logs = new PodLogs(context, cluster, this.#path);
    this.#hasOutputs = context.properties.outputFiles !== undefined;
  }

  get #place() {
    return { context: this.#context, cluster: this.#cluster, path: this.#path };
  }

  /** Creates the pod. @throws Error the cluster refuses it */
  async create(manifest: JsonObject): Promise<void> {
    const path = podsPath(this.#cluster);
    await this.#cluster.call({
      path,
      method: "POST",
      body: manifest,
      operation: `create the pod "${this.#name}"`,
    });
    this.#isOwn = true;
    this.#context.log(
      "INFO",
      `Created the pod "${this.#name}" in the namespace "${this.#cluster.namespace}"`,
    );
  }

  /** Continues with a pod that a restart of the server left. */
  adopt(): void {
    this.#isOwn = true;
    this.#context.log("INFO", `The pod "${this.#name}" of this attempt exists; the task continues with it`);
  }

  /** Follows the pod to its end. `inputs`: path of the packed input files. */
  async outputs(inputs: string | undefined): Promise<JsonObject> {
    await this.#begin(inputs);
    const isOver = this.#hasOutputs ? haveContainersEnded : hasEnded;
    const ended = await this.#until({ limit: "waitRunning", what: "has not ended", isReached: isOver });
    await pause(readDuration(this.#context.properties.waitForLogInterval) ?? 0, this.#context.signal);
    await this.#logs.read(ended, { isLast: true });
    await this.#check(ended);
    const { metadata } = summaryOf(ended);
    return {
      metadata,
      status: isJsonObject(ended.status) ? ended.status : {},
      vars: this.#logs.vars,
      ...this.#hasOutputs && { outputFiles: await storedOutputs(this.#place) },
    };
  }

  async #begin(inputs: string | undefined): Promise<void> {
    const wait = { limit: "waitUntilRunning", what: "does not run" };
    const hasBegun = (pod: JsonObject) =>
      hasEnded(pod) || taskContainers(pod).some(({ hasStarted }) => hasStarted);
    if (inputs !== undefined) {
      const pod = await this.#until({ ...wait, isReached: (pod) => takesInputs(pod) || hasBegun(pod) });
      if (takesInputs(pod)) await sendInputs(this.#place, inputs);
    }
    await this.#until({ ...wait, isReached: hasBegun });
    if ((readDuration(this.#context.properties.waitUntilReady) ?? 0) === 0) return;
    const isReached = (pod: JsonObject) => isPodReady(pod) || haveContainersEnded(pod);
    await this.#until({ limit: "waitUntilReady", what: "is not ready", isReached });
  }

  /** Reads the pod and its logs again and again. @throws Error the time is over, or the pod is gone or can never start */
  async #until({ limit, what, isReached }: PodWait): Promise<JsonObject> {
    const limitMs = readDuration(this.#context.properties[limit]) ?? 0;
    const endsAt = systemClock.now() + limitMs;
    let phase = "";
    for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      const pod = await this.#read();
      const isNew = await this.#logs.read(pod) || phaseOf(pod) !== phase;
      if (isReached(pod)) return pod;
      await this.#check(pod);
      const leftMs = endsAt - systemClock.now();
      if (leftMs <= 0) {
        await this.#logEvents();
        throw new Error(
          `The pod "${this.#name}" ${what} after ${formatDuration(limitMs)}, its phase is ${
            phaseOf(pod)
          }; raise ${limit}`,
        );
      }
      if (isNew) pauseMs = FIRST_PAUSE_MS;
      phase = phaseOf(pod);
      await pause(Math.min(pauseMs, leftMs), this.#context.signal);
    }
  }

  /** @throws Error it is gone, or the cluster cannot be reached */
  async #read(): Promise<JsonObject> {
    const pod = await this.#find();
    if (pod) return pod;
    throw new Error(`The pod "${this.#name}" is gone: it was deleted before its end`);
  }

  /** A connection may fail for a moment while the pod runs for hours. */
  async #find(): Promise<JsonObject | undefined> {
    for (let tries = 1;; tries++) {
      try {
        return await this.#cluster.find({ path: this.#path, operation: `read the pod "${this.#name}"` });
      } catch (error) {
        if (tries === MAX_TRIES || this.#context.signal.aborted) throw error;
        this.#context.log("WARN", (error as Error).message);
        await pause(FIRST_PAUSE_MS * 4 ** tries, this.#context.signal);
      }
    }
  }

  /** @throws Error the pod has failed, or can never start */
  async #check(pod: JsonObject): Promise<void> {
    const failure = failureOf(pod);
    if (failure === undefined) return;
    await this.#logs.read(pod, { isLast: true });
    await this.#logEvents();
    throw new Error(`The pod "${this.#name}" failed: ${failure}`);
  }

  /** Warnings of the cluster say more than the status. They may be forbidden, and are no reason to fail. */
  async #logEvents(): Promise<void> {
    try {
      const list = await this.#cluster.call({
        path: podsPath(this.#cluster).replace(/pods$/, "events"),
        query: { fieldSelector: `involvedObject.name=${this.#name},type=Warning`, limit: String(MAX_EVENTS) },
        operation: "read the events of the pod",
      });
      for (const { reason, message } of objectsOf(list.items)) {
        this.#context.log("WARN", [reason, message].map(optionalText).filter(Boolean).join(": "));
      }
    } catch (error) {
      this.#context.log("DEBUG", (error as Error).message);
    }
  }

  /** Deletes the pod if the properties say so; after a stop at once, and in any case. */
  async end(): Promise<void> {
    const { signal, properties } = this.#context;
    try {
      if (signal.aborted) return await this.#deleteNow();
      if (!this.#isOwn) return;
      if (this.#hasOutputs) await this.#release();
      if (properties.delete === true) await this.#delete(this.#cluster, this.#name);
    } catch (error) {
      this.#context.log("WARN", (error as Error).message);
    }
  }

  /** Without it, a container that keeps output files runs until the grace period of its deletion is over. */
  async #release(): Promise<void> {
    try {
      await releaseOutputs(this.#place);
    } catch (error) {
      // A pod that never began, or is gone, has no such container.
      this.#context.log("DEBUG", (error as Error).message);
    }
  }

  /** Other requests of the attempt are refused after its stop. One may have created the pod just before. */
  async #deleteNow(): Promise<void> {
    const cluster = new Cluster({
      properties: this.#context.properties,
      http: (request) => this.#context.lastRequest(request),
      signal: new AbortController().signal,
    });
    const names = this.#isOwn ? [this.#name] : (await podsOfAttempt(this.#context, cluster)).map(nameOf);
    for (const name of names) await this.#delete(cluster, name, { gracePeriodSeconds: "0" });
  }

  async #delete(cluster: Cluster, name: string, query?: Readonly<Record<string, string>>): Promise<void> {
    await cluster.find({
      path: `${podsPath(cluster)}/${encodeURIComponent(name)}`,
      method: "DELETE",
      query,
      operation: `delete the pod "${name}"`,
    });
    this.#context.log("INFO", `Deleted the pod "${name}"`);
  }
}
