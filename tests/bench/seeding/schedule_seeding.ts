/** Fills the database of a server that does not run with flows that have schedules: copies of one that the server has saved. */
import { parseCron } from "../../../src/languages/cron/mod.ts";
import { findZone } from "../../../src/languages/dates/mod.ts";
import type { TriggerState } from "../../../src/model/triggers/trigger_state.ts";
import {
  type FlowHead,
  FlowRecords,
  type FlowRevisionRecord,
} from "../../../src/store/records/flow_records.ts";
import { KvStore } from "../../../src/store/kv_store.ts";
import type { Mutation } from "../../../src/store/store.ts";
import { TriggerRecords } from "../../../src/store/records/trigger_records.ts";
import { cronFireTimes } from "../../../src/triggers/cron/fire_times.ts";
import { pureFlow } from "../api.ts";

const TENANT = "main";
const MUTATIONS_PER_COMMIT = 500;
/** Schedules of one copied flow. */
export const PER_FLOW = 10;
/** Their minutes differ, so that each is found in what the server has saved. */
const templateCron = (trigger: number) => `${trigger} 7 7 7 *`;
/** Fires at another time of the year than the next one. */
const cronOf = (n: number) => `${n % 60} ${n % 24} ${1 + n % 28} ${1 + n % 12} *`;

/** What is copied. */
interface Template {
  readonly head: FlowHead;
  readonly record: FlowRevisionRecord;
  readonly states: readonly TriggerState[];
}

/** A flow with schedules of these times. */
export function scheduledFlow(id: string, crons: readonly string[], withSeconds = false): string {
  const type = "io.svc.plugin.core.trigger.Schedule";
  const triggers = crons.map((cron, n) =>
    `  - {id: at-${n}, type: ${type}, cron: "${cron}", timezone: UTC, withSeconds: ${withSeconds}}\n`
  );
  return `${pureFlow(id)}triggers:\n${triggers.join("")}`;
}

/** The flow that {@link seedSchedules} copies. */
export function templateFlow(id: string): string {
  return scheduledFlow(id, Array.from({ length: PER_FLOW }, (_, trigger) => templateCron(trigger)));
}

/** Copies the only flow of a database, which the server has saved from {@link templateFlow}, until there are so many schedules. */
export async function seedSchedules(path: string, count: number): Promise<void> {
  const store = await KvStore.open(path);
  const flows = new FlowRecords(store), triggers = new TriggerRecords(store);
  const template = await readTemplate(flows, triggers);
  const dates = new NextDates(Date.now());
  let mutations: Mutation[] = [];
  for (let n = 1; n * PER_FLOW < count; n++) {
    const { head, record, states } = copyOf(template, n, dates);
    mutations.push(...flows.save(head, record));
    for (const state of states) mutations.push(...triggers.save(TENANT, state, { isListening: false }));
    if (mutations.length < MUTATIONS_PER_COMMIT && (n + 1) * PER_FLOW < count) continue;
    await store.commit({ checks: [], mutations, messages: [] });
    mutations = [];
  }
  store.close();
}

async function readTemplate(flows: FlowRecords, triggers: TriggerRecords): Promise<Template> {
  const [head] = await Array.fromAsync(flows.heads(TENANT));
  const states = await Array.fromAsync(triggers.all(TENANT));
  const record = head && await flows.revision(head, head.revision);
  if (head && record && states.length === PER_FLOW) return { head, record, states };
  throw new Error("Cannot copy schedules: there is no flow with them");
}

function copyOf({ head, record, states }: Template, n: number, dates: NextDates): Template {
  const id = `${head.id}-${n}`;
  let text = JSON.stringify(record).replaceAll(head.id, id);
  const copies = states.map((state, trigger): TriggerState => {
    const [old, cron] = [templateCron(trigger), cronOf(n * PER_FLOW + trigger)];
    text = text.replaceAll(`"${old}"`, `"${cron}"`).replaceAll(`\\"${old}\\"`, `\\"${cron}\\"`);
    const nextDate = dates.of(cron);
    return { ...state, flowId: id, timing: state.timing.replace(old, cron), nextDate, dueAt: nextDate };
  });
  return {
    head: { ...head, id, flowNo: head.flowNo + n },
    record: JSON.parse(text) as FlowRevisionRecord,
    states: copies,
  };
}

/** Dates take some time to find, and there are fewer than schedules. */
class NextDates {
  readonly #now: number;
  readonly #known = new Map<string, number | undefined>();

  constructor(now: number) {
    this.#now = now;
  }

  of(cron: string): number | undefined {
    const known = this.#known.get(cron);
    if (known !== undefined) return known;
    const found = cronFireTimes(parseCron(cron, false), findZone("UTC")).next(this.#now);
    this.#known.set(cron, found);
    return found;
  }
}
