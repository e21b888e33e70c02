/** Examples of the documentation as flows. */

/** A flow that holds an example of a task or a trigger; an example that is a flow itself as it is. */
export function flowAround(example: string, kind: "task" | "trigger"): string {
  if (/^tasks:/m.test(example)) return example;
  const item = example.trimEnd().split("\n").map((line) => `  ${line}`).join("\n");
  const head = "id: example\nnamespace: company.team\n\n";
  if (kind === "task") return `${head}tasks:\n${item}\n`;
  const task = "tasks:\n  - id: hello\n    type: io.svc.plugin.core.log.Log\n    message: Hello\n\n";
  return `${head}${task}triggers:\n${item}\n`;
}
