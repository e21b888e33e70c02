/** The folder of flows of a namespace: files that are written into it are saved as flows. */
import { DomainError } from "../../model/errors.ts";
import { checkNotFlows, FLOWS_FOLDER } from "../../model/namespaces/file_path.ts";
import { MAX_FLOW_SOURCE_BYTES } from "../../model/limits.ts";

const FLOW_FILE = new RegExp(`^${FLOWS_FOLDER}/[^/]+\\.ya?ml$`);

/** True for a flow in the folder of flows, false outside of it. @throws DomainError invalid_argument: another path in that folder */
export function isFlowFile(path: string): boolean {
  if (FLOW_FILE.test(path)) return true;
  checkNotFlows(path);
  return false;
}

/** The source of a flow. @throws DomainError too_large */
export async function readFlowSource(source: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const piece of source) {
    size += piece.length;
    if (size > MAX_FLOW_SOURCE_BYTES) {
      throw new DomainError(
        "too_large",
        `Cannot import the flow: it is larger than ${MAX_FLOW_SOURCE_BYTES} bytes`,
      );
    }
    pieces.push(new Uint8Array(piece));
  }
  return await new Blob(pieces).text();
}
