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

interface RouteTime {
  readonly method: string;
  readonly route: string;
  readonly requests: number;
  readonly meanSeconds: number;
}

const SHOWN_ROUTES = 5;

/** The routes whose responses take longest on average, the slowest first. */
export function slowestRoutes(metrics: readonly Metric[]): RouteTime[] {
  const requestsOf = (labels: Metric["labels"]) =>
    sumOf(
      metrics.filter((each) => each.labels.method === labels.method && each.labels.route === labels.route),
      "sluice_http_requests_total",
    ) ?? 0;
  return metrics.filter(({ name }) => name === "sluice_http_request_seconds_total")
    .map(({ labels, value }) => ({ labels, value, requests: requestsOf(labels) }))
    .filter(({ requests }) => requests > 0)
    .map(({ labels: { method = "", route = "" }, value, requests }) => ({
      ...{ method, route, requests },
      meanSeconds: value / requests,
    }))
    .toSorted((a, b) => b.meanSeconds - a.meanSeconds)
    .slice(0, SHOWN_ROUTES);
}
