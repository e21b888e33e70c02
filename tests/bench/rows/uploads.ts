/** Row 26: bytes a second of a file that a flow uploads to S3 ÷ by curl. */
import { createFlow, flowOf, start, type StartedExecution } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMegabytes, median, type RowResult } from "../figures.ts";
import { ObjectSink } from "../object_sink.ts";
import type { Row } from "./row.ts";

const FLOW = "upload";
const BYTES = 256_000_000;
const PIECE = new Uint8Array(1_000_000).fill(7);
const TURNS = 3;
const TITLE = "bytes of an upload to S3 ÷ plain PUT of curl";

/** What the signing and the parts of an upload cost. */
export const uploadsRow: Row = { number: 26, name: "uploads", title: TITLE, measure };

interface Uploaded extends StartedExecution {
  readonly taskRunList: readonly Pick<StartedExecution, "state">[];
}

async function measure(bench: Bench): Promise<RowResult> {
  await using sink = ObjectSink.start();
  await using source = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(content()),
  );
  await using server = await bench.startServer();
  const file = `${await bench.freshFolder()}/file`;
  await Deno.writeFile(file, content());
  const bucket =
    `endpointOverride: "${sink.url}", forcePathStyle: true, region: us-east-1, accessKeyId: a, secretKeyId: b, bucket: c`;
  await createFlow(
    server.url,
    flowOf(
      FLOW,
      `{id: file, type: io.svc.plugin.core.http.Download, uri: "http://127.0.0.1:${source.addr.port}"}`,
      `{id: t, type: io.svc.plugin.aws.s3.Upload, ${bucket}, key: k, from: "{{ outputs.file.uri }}"}`,
    ),
  );
  const [limits, measured]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    limits.push(await rateOfCurl(file, sink.url));
    measured.push(rateOf(await start(server.url, FLOW, "?wait=true") as Uploaded));
  }
  const [limit, value] = [median(limits), median(measured)];
  return {
    figures: [{
      row: 26,
      name: TITLE,
      measured: `${inMegabytes(value)}/s`,
      limit: `${inMegabytes(limit)}/s`,
      value: value / limit,
      unit: "",
      better: "higher",
      floor: 0.7,
      goal: 0.7,
    }],
    notes: [],
  };
}

function content(): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = BYTES;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(PIECE);
      left -= PIECE.length;
      if (left <= 0) controller.close();
    },
  });
}

async function rateOfCurl(file: string, url: string): Promise<number> {
  const begin = performance.now();
  const { success } = await new Deno.Command("curl", { args: ["-sf", "-T", file, `${url}/c/k`] }).output();
  if (!success) throw new Error("curl cannot upload");
  return BYTES / ((performance.now() - begin) / 1_000);
}

/** Of the task alone, from its first state to its last. */
function rateOf({ taskRunList, state }: Uploaded): number {
  const dates = taskRunList[1]?.state.histories.map(({ date }) => Date.parse(date)) ?? [];
  const [from = NaN] = dates, to = dates.at(-1) ?? NaN;
  if (state.current !== "SUCCESS") throw new Error(`The upload ended ${state.current}`);
  return BYTES / ((to - from) / 1_000);
}
