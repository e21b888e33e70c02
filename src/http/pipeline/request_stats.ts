/** How many requests each route has answered, and how long they took. */
import type { Clock } from "../../base/clock.ts";
import type { ServerMetric, ServerMetricSample } from "../../model/server_metric.ts";

/** Classes of statuses: of 404 it is the fourth. */
const CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

/** Counters of one route. Adding to them touches nothing but numbers: it happens with every request. */
export class RouteStats {
  readonly method: string;
  readonly route: string;
  readonly counts = [0, 0, 0, 0, 0];
  totalMs = 0;

  constructor(method: string, route: string) {
    this.method = method;
    this.route = route;
  }

  /** Takes in an answer. */
  add(status: number, ms: number): void {
    const index = Math.floor(status / 100) - 1;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.totalMs += ms;
  }
}

/** Counters of all routes. What no route has counts as one, so the number of figures is that of the routes. */
export class RequestStats {
  readonly #startedAt: number;
  readonly #routes: RouteStats[] = [];
  /** Of paths that no route has. */
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

  /** As of now; routes that nobody called are left out. */
  serverMetrics(): ServerMetric[] {
    const called = this.#routes.filter(({ counts }) => counts.some((count) => count > 0));
    return [
      {
        name: "process_start_time_seconds",
        help: "When the process started, since 1970",
        type: "gauge",
        samples: [{ value: this.#startedAt / 1000 }],
      },
      {
        name: "sluice_http_requests_total",
        help: "Requests answered, by route and class of status",
        type: "counter",
        samples: called.flatMap(countSamples),
      },
      {
        name: "sluice_http_request_seconds_total",
        help: "Time until the answers to them began",
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
