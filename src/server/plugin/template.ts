/** The files that `sluice plugin new` writes. */
import type { PluginTemplate } from "../../config/mod.ts";

/** A plugin to begin with. `name` is that of the file without its extension. */
export function pluginTemplate(name: string, template: PluginTemplate, isTypeScript: boolean): string {
  const type = `com.example.${name.replace(/(?:^|\W+)(\w)/g, (_match, letter) => letter.toUpperCase())}`;
  return `/// <reference path="./sluice.d.ts" />\n\n${TEMPLATES[template](type, isTypeScript)}`;
}

const TEMPLATES: Readonly<Record<PluginTemplate, (type: string, isTypeScript: boolean) => string>> = {
  task: taskTemplate,
  poll: pollTemplate,
  realtime: realtimeTemplate,
};

function as(isTypeScript: boolean, type: string): string {
  return isTypeScript ? ` as ${type}` : "";
}

/** With a property, an output and a metric. */
function taskTemplate(type: string, isTypeScript: boolean): string {
  return `export default defineTask({
  type: "${type}",
  title: "Count words",
  description: "Counts the words of a text.",
  properties: {
    text: { type: "string", required: true, description: "The text." },
  },
  outputs: {
    words: { type: "integer", description: "Number of words." },
  },
  metrics: {
    words: { type: "counter", description: "Number of words." },
  },
  examples: [{
    title: "Count the words of an input",
    yaml: \`id: count
type: ${type}
text: "{{ inputs.text }}"\`,
  }],
  // Hosts that the code itself connects to; context.http needs no permission.
  permissions: { net: [] },
  run(context) {
    const { text } = context.properties${as(isTypeScript, "{ readonly text: string }")};
    const words = text.split(/\\s+/).filter(Boolean).length;
    console.log("Counted", words, "words");
    context.metric("words", words);
    return { words };
  },
});
`;
}

/** With a state. */
function pollTemplate(type: string, isTypeScript: boolean): string {
  const items = as(isTypeScript, "{ readonly id: number }[]");
  return `export default defineTrigger({
  type: "${type}",
  title: "Start for new items",
  description: "Reads a list of items with growing numbers, and starts an execution with those that are new.",
  properties: {
    url: { type: "string", required: true, description: "Address of the list, as JSON." },
  },
  outputs: {
    items: { type: "list", description: "The new items." },
  },
  examples: [{
    title: "Look every five minutes",
    yaml: \`id: items
type: ${type}
interval: PT5M
url: https://example.com/items.json\`,
  }],
  // Hosts that the code itself connects to; context.http needs no permission.
  permissions: { net: [] },
  // Called once an interval. What it returns starts an execution; nothing starts none.
  async poll(context) {
    const { url } = context.properties${as(isTypeScript, "{ readonly url: string }")};
    const { status, text } = await context.http({ url });
    if (status !== 200) throw new Error(\`Cannot read the items: the response was \${status}\`);
    const last = Number(context.state.get()?.last ?? 0);
    const items = (JSON.parse(text)${items}).filter(({ id }) => id > last);
    console.log("New items:", items.length);
    if (items.length === 0) return undefined;
    // Stored together with the start: no item is lost, and none starts twice.
    context.state.set({ last: Math.max(...items.map(({ id }) => id)) });
    return { items };
  },
});
`;
}

/** With a generator. */
function realtimeTemplate(type: string, isTypeScript: boolean): string {
  return `export default defineTrigger({
  type: "${type}",
  title: "Start at a steady pace",
  description: "Starts an execution after each pause.",
  properties: {
    seconds: { type: "number", default: 60, minimum: 1, description: "Seconds from one to the next." },
  },
  outputs: {
    count: { type: "integer", description: "Number of the event since the connection." },
  },
  examples: [{
    title: "Start every ten seconds",
    yaml: \`id: pace
type: ${type}
seconds: 10\`,
  }],
  // Hosts that the code itself connects to; context.http needs no permission.
  permissions: { net: [] },
  // Runs as long as the trigger is enabled. Each value that it yields starts an execution.
  async *realtime(context) {
    const { seconds } = context.properties${as(isTypeScript, "{ readonly seconds: number }")};
    for (let count = 1; !context.signal.aborted; count++) {
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      yield { count };
      // Only now the start is durable: a message is acknowledged here.
    }
  },
});
`;
}
