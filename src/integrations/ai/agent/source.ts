/** Texts that are found for a prompt. */
import type { JsonObject } from "../../../base/json.ts";

/** A found text, as outputs show it. */
export interface Source {
  readonly content: string;
  readonly metadata: JsonObject;
}

/** The prompt with the found texts. */
export function augmented(prompt: string, sources: readonly Source[]): string {
  if (sources.length === 0) return prompt;
  return `${prompt}\n\nAnswer with this information:\n${sources.map(({ content }) => content).join("\n\n")}`;
}
