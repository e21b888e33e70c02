/** The file that `sluice plugin new` writes. */

/** A plugin with a property, an output and a metric. `name` is that of the file without its extension. */
export function pluginTemplate(name: string, isTypeScript: boolean): string {
  const type = `com.example.${name.replace(/(?:^|\W+)(\w)/g, (_match, letter) => letter.toUpperCase())}`;
  const properties = isTypeScript ? "context.properties as { readonly text: string }" : "context.properties";
  return `/// <reference path="./sluice.d.ts" />

export default defineTask({
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
    const { text } = ${properties};
    const words = text.split(/\\s+/).filter(Boolean).length;
    console.log("Counted", words, "words");
    context.metric("words", words);
    return { words };
  },
});
`;
}
