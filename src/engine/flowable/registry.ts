/** All flowable tasks. A new one is a file and a line here. */
import { allowFailure } from "./allow_failure.ts";
import { dag } from "./dag.ts";
import { eachParallel } from "./each_parallel.ts";
import { eachSequential } from "./each_sequential.ts";
import type { Flowable } from "./flowable.ts";
import { forEach } from "./for_each.ts";
import { forEachItem, forEachItemExecutions } from "./for_each_item.ts";
import { ifTask } from "./if.ts";
import { loop } from "./loop.ts";
import { loopUntil } from "./loop_until.ts";
import { parallel } from "./parallel.ts";
import { pause } from "./pause.ts";
import { sequential } from "./sequential.ts";
import { subflow } from "./subflow.ts";
import { switchTask } from "./switch.ts";
import { workingDirectory } from "./working_directory.ts";

/** By the `kind` of their tasks. */
export const FLOWABLES: ReadonlyMap<string, Flowable> = new Map(
  [
    allowFailure,
    dag,
    eachParallel,
    eachSequential,
    forEach,
    forEachItem,
    forEachItemExecutions,
    ifTask,
    loop,
    loopUntil,
    parallel,
    pause,
    sequential,
    subflow,
    switchTask,
    workingDirectory,
  ].map((flowable) => [flowable.kind, flowable]),
);
