/** `core.flow.Switch`: the list of tasks for a value. */
import { sequence } from "../branches.ts";
import type { Flowable } from "./flowable.ts";

/** Outputs: `value`, and `defaults`, true when no case has the value. It fails without a case and `defaults`. */
export const switchTask: Flowable = {
  kind: "core.flow.Switch",
  renders: ["value"],
  begin(properties, _now, place) {
    const value = String(properties.value ?? "");
    const defaults = !place.blocks.has(`cases.${value}`);
    const outputs = { value, defaults };
    if (defaults && !place.blocks.has("defaults")) {
      return { failure: `No case of the Switch has the value "${value}", and it has no defaults`, outputs };
    }
    return { decision: { value }, outputs };
  },
  branches(place, { value }) {
    const chosen = place.blocks.get(`cases.${String(value)}`);
    return sequence(chosen ?? place.blocks.get("defaults"));
  },
};
