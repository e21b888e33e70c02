/** An execution as it is stored and read again: what a crash leaves of it. */
import type { Execution } from "../../src/model/executions/execution.ts";
import {
  originOf,
  unpackExecution,
  unpackTaskRun,
} from "../../src/store/records/executions/execution_codec.ts";
import { inlineText, newForm } from "../../src/store/records/executions/execution_form.ts";
import { decodeRecord, inlineRecordBytes } from "../../src/store/records/executions/inline_record.ts";

/** The bytes of an execution, without its log. */
export function storeExecution(execution: Execution): Uint8Array {
  return inlineRecordBytes(inlineText(execution, newForm())).slice();
}

/** The execution in these bytes; `like` provides what its key and flow number stand for. */
export function readExecution(bytes: Uint8Array, like: Execution): Execution {
  const { id, tenant, namespace, flowId } = like;
  const packed = decodeRecord(bytes, id);
  const execution = unpackExecution(packed, id, tenant, { namespace, id: flowId });
  let previous = -1;
  for (const taskRun of Array.isArray(packed[6]) ? packed[6] : []) {
    const unpacked = unpackTaskRun(taskRun, previous, originOf(execution));
    previous = unpacked.ordinal;
    execution.taskRuns.push(unpacked);
  }
  return execution;
}
