/** Files of other systems. */
import { seriesBudget, wholeTest } from "../languages/regex/mod.ts";
import { dynamicProperty, type PropertySchema } from "../model/flows/schema.ts";

/** Property: what becomes of files that were read. */
export const ACTION: PropertySchema = dynamicProperty(
  "string",
  "What becomes of the files that were read. With NONE they are found again at the next time.",
  { required: true, values: ["MOVE", "DELETE", "NONE"] },
);

/** Property: bound of the number of files. */
export const MAX_FILES: PropertySchema = dynamicProperty("integer", "Most files that are read at a time.", {
  default: 25,
  minimum: 1,
  maximum: 10_000,
});

/** Output: storage URIs by name. */
export const OUTPUT_FILES: PropertySchema = {
  type: "map",
  description: "Storage URIs of the files, by name.",
  items: { type: "string", description: "A storage URI." },
};

/** A path for the local copy of a remote file: its last name, in a folder of its own, since names repeat. */
export function pathWithin(folder: string, remoteName: string): string {
  const base = remoteName.replace(/(?<!\/)\/+$/, "").split("/").at(-1) ?? "";
  // deno-lint-ignore no-control-regex
  const safe = base.replace(/[\\\u0000-\u001f]/g, "_");
  return `${folder}/${safe === "" || safe === "." || safe === ".." ? "file" : safe}`;
}

/** Whether a whole name matches a regular expression; every name does without one. */
export function nameTest(pattern: string | undefined): (name: string) => boolean {
  if (pattern === undefined) return () => true;
  const budgetFor = seriesBudget();
  let test: ReturnType<typeof wholeTest> | undefined;
  return (name) => {
    test ??= wholeTest(pattern);
    const result = typeof test === "function" ? test(name, budgetFor(name)) : test;
    if (typeof result === "boolean") return result;
    throw new Error(`Invalid regular expression "${pattern}": ${result.reason}`);
  };
}
