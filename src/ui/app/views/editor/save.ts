/** Saves the source of an editor; a flow that has changed meanwhile is not overwritten unless a person decides so. */
import { ApiError, get, send } from "../../api/client.ts";
import type { FlowKey, FlowSource } from "../../api/flow_entities.ts";
import { apiPath } from "../../core/places.ts";
import { attempt, showToast } from "../../kit/feedback.tsx";
import { SaveQueue } from "../../kit/save_queue.ts";
import { t } from "../../texts/mod.ts";
import type { EditorModel } from "./editor_state.ts";

const YAML = { "content-type": "application/x-yaml" };
const CONFLICT = 412;

/** A flow as it is stored, or the flow that was stored meanwhile by somebody else. */
type SaveResult = { readonly saved: FlowSource } | { readonly conflict: FlowSource };

/** Saves the flow of one editor. */
export class FlowSaver {
  readonly #model: EditorModel;
  /** Absent until a new flow is created, which the editor may outlive. */
  #key: FlowKey | undefined;
  readonly #onConflict: (theirs: FlowSource) => void;
  readonly #queue: SaveQueue<FlowSource | undefined>;

  constructor(model: EditorModel, key: FlowKey | undefined, onConflict: (theirs: FlowSource) => void) {
    this.#model = model;
    this.#key = key;
    this.#onConflict = onConflict;
    this.#queue = new SaveQueue(() => model.source.value);
  }

  /** True while a save is under way; a further one joins it. */
  get isBusy(): boolean {
    return this.#queue.isBusy;
  }

  /** Saves the source and says so; `undefined` if it is not stored. */
  save(): Promise<FlowSource | undefined> {
    return this.#queue.run(async (source) => {
      const result = await attempt(() => save(this.#model, this.#key, source));
      if (!result) return undefined;
      if ("conflict" in result) return void this.#onConflict(result.conflict);
      this.#key = result.saved;
      showToast("good", t("editor.saved", { revision: result.saved.revision }));
      return result.saved;
    });
  }
}

/** Creates the flow, or saves its next revision. @throws ApiError */
async function save(model: EditorModel, key: FlowKey | undefined, body: string): Promise<SaveResult> {
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
