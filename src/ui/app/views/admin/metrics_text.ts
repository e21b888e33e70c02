/** Server metrics in the text format of Prometheus. */

/** One value. */
export interface Metric {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** All values of a text; other lines are left out. */
export function parseMetrics(text: string): Metric[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value = ""] = LINE.exec(line) ?? [];
    if (name === undefined || Number.isNaN(Number(value))) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, key = "", quoted = ""]) =>
      [key, quoted.replace(/\\(.)/g, (_, escaped) => escaped === "n" ? "\n" : escaped)] as const
    );
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** The sum of all values of a name; `undefined` if there are none. */
export function sumOf(metrics: readonly Metric[], name: string): number | undefined {
  const values = metrics.filter((metric) => metric.name === name).map(({ value }) => value);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value);
}
