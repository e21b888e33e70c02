/** Server metrics in the text format of Prometheus, version 0.0.4. */
import type { ServerMetric, ServerMetricSample } from "../../model/server_metric.ts";

/** Its media type. */
export const SERVER_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The metrics as text, without those that have no samples. */
export function serverMetricsText(serverMetrics: readonly ServerMetric[]): string {
  return serverMetrics.filter(({ samples }) => samples.length > 0).map(({ name, help, type, samples }) => {
    const lines = samples.map((sample) => `${name}${labelText(sample)} ${valueText(sample.value)}\n`);
    return `# HELP ${name} ${escape(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`;
  }).join("");
}

function labelText({ labels = {} }: ServerMetricSample): string {
  const pairs = Object.entries(labels).map(([name, value]) =>
    `${name}="${escape(value).replaceAll('"', '\\"')}"`
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escape(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function valueText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf";
}
