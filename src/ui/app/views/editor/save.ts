/** Saves the source of an editor; a flow that has changed meanwhile is not overwritten unless a person decides so. */
import { ApiError, get, send } from "../../api/client.ts";
import type { FlowKey, FlowSource } from "../../api/flow_entities.ts";
import { apiPath } from "../../core/places.ts";
import type { EditorModel } from "./editor_state.ts";

const YAML = { "content-type": "application/x-yaml" };
const CONFLICT = 412;

/** A flow as it is stored, or the flow that was stored meanwhile by somebody else. */
type SaveResult = { readonly saved: FlowSource } | { readonly conflict: FlowSource };

/** Creates the flow, or saves its next revision. @throws ApiError */
export async function save(model: EditorModel, key: FlowKey | undefined): Promise<SaveResult> {
  const body = model.source.value;
  if (!key) return stored(model, await send<FlowSource>("POST", "/flows", { body, headers: YAML }));
  const headers = { ...YAML, "if-match": `"${model.revision.value}"` };
  try {
    const path = apiPath("flows", key.namespace, key.id);
    return stored(model, await send<FlowSource>("PUT", path, { body, headers }));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== CONFLICT) throw error;
    return { conflict: await readFlow(key) };
  }
}

/** A flow with its source. @throws ApiError */
export async function readFlow({ namespace, id }: FlowKey, signal?: AbortSignal): Promise<FlowSource> {
  return await get<FlowSource>(apiPath("flows", namespace, id), { source: true }, signal);
}

function stored(model: EditorModel, saved: FlowSource): SaveResult {
  model.saved.value = saved.source;
  model.revision.value = saved.revision;
  return { saved };
}
