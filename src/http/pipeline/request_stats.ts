/** Counts and durations of requests by route. */
import type { Clock } from "../../base/time/clock.ts";
import type { ServerMetric, ServerMetricSample } from "../../model/server_metric.ts";

/** Status classes, by their first digit from 1. */
const CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

/** Counters of one route. `add` only changes numbers: it runs for every request. */
export class RouteStats {
  readonly method: string;
  readonly route: string;
  readonly counts = [0, 0, 0, 0, 0];
  totalMs = 0;

  constructor(method: string, route: string) {
    this.method = method;
    this.route = route;
  }

  /** Counts a response. */
  add(status: number, ms: number): void {
    const index = Math.floor(status / 100) - 1;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.totalMs += ms;
  }
}

/** Counters of all routes. Unmatched paths share one, so that the number of metrics is bounded by the routes. */
export class RequestStats {
  readonly #startedAt: number;
  readonly #routes: RouteStats[] = [];
  /** Of unmatched paths. */
  readonly unmatched = this.add("", "");

  constructor(clock: Pick<Clock, "now">) {
    this.#startedAt = clock.now();
  }

  /** Counters for a route. */
  add(method: string, route: string): RouteStats {
    const stats = new RouteStats(method, route);
    this.#routes.push(stats);
    return stats;
  }

  /** Current values; routes without requests are left out. */
  serverMetrics(): ServerMetric[] {
    const called = this.#routes.filter(({ counts }) => counts.some((count) => count > 0));
    return [
      {
        name: "process_start_time_seconds",
        help: "Start time of the process, in seconds since 1970",
        type: "gauge",
        samples: [{ value: this.#startedAt / 1000 }],
      },
      {
        name: "sluice_http_requests_total",
        help: "Requests, by route and status class",
        type: "counter",
        samples: called.flatMap(countSamples),
      },
      {
        name: "sluice_http_request_seconds_total",
        help: "Time until their responses started",
        type: "counter",
        samples: called.map(({ method, route, totalMs }) => ({
          labels: { method, route },
          value: totalMs / 1000,
        })),
      },
    ];
  }
}

function countSamples({ method, route, counts }: RouteStats): ServerMetricSample[] {
  return CLASSES.flatMap((status, index) => {
    const value = counts[index] ?? 0;
    return value === 0 ? [] : [{ labels: { method, route, status }, value }];
  });
}
