/** Row 26: bytes a second of a file that a flow uploads to S3 ÷ by a plain PUT of the run-time's own client, and of curl. */
import { randomFillSync } from "node:crypto";
import { createFlow, flowOf, start, type StartedExecution } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMegabytes, median, type RowResult, type ServerMetric } from "../figures.ts";
import { ObjectSink } from "../servers/object_sink.ts";
import type { Row } from "./row.ts";

const FLOW = "upload";
const BYTES = 256_000_000;
const PIECE_BYTES = 1_000_000;
const TURNS = 3;
const TITLE = "bytes of an upload to S3 ÷ plain PUT";

/** What is uploaded: the storage keeps the first as it is, and a seventh of the second. */
const CONTENTS = [
  { what: "incompressible bytes", piece: randomPiece() },
  { what: "rows of CSV", piece: csvPiece() },
] as const;

type Content = (typeof CONTENTS)[number];

/** What the reading, the signing and the parts of an upload cost. */
export const uploadsRow: Row = { number: 26, name: "uploads", title: TITLE, measure };

interface Uploaded extends StartedExecution {
  readonly taskRunList: readonly Pick<StartedExecution, "state">[];
}

async function measure(bench: Bench): Promise<RowResult> {
  const figures: ServerMetric[] = [];
  const notes: string[] = [];
  for (const content of CONTENTS) {
    const { measured, plain, ofCurl } = await measureContent(bench, content);
    figures.push(figureOf(content, measured, plain));
    const ratio = (measured / ofCurl).toFixed(3);
    notes.push(`${content.what}: curl ${inMegabytes(ofCurl)}/s, ÷ it ${ratio}`);
  }
  return { figures, notes };
}

/** Bytes a second. */
interface Rates {
  readonly measured: number;
  readonly plain: number;
  readonly ofCurl: number;
}

async function measureContent(bench: Bench, { piece }: Content): Promise<Rates> {
  await using sink = ObjectSink.start();
  await using source = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(streamOf(piece)),
  );
  await using server = await bench.startServer();
  const file = `${await bench.freshFolder()}/file`;
  await Deno.writeFile(file, streamOf(piece));
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
  const [measured, plain, ofCurl]: [number[], number[], number[]] = [[], [], []];
  for (let turn = 0; turn < TURNS; turn++) {
    plain.push(await rateOfFetch(file, sink.url));
    ofCurl.push(await rateOfCurl(file, sink.url));
    measured.push(rateOf(await start(server.url, FLOW, "?wait=true") as Uploaded));
  }
  return { measured: median(measured), plain: median(plain), ofCurl: median(ofCurl) };
}

function figureOf({ what }: Content, value: number, limit: number): ServerMetric {
  return {
    row: 26,
    name: `${TITLE}, ${what}`,
    measured: `${inMegabytes(value)}/s`,
    limit: `${inMegabytes(limit)}/s`,
    value: value / limit,
    unit: "",
    better: "higher",
    floor: 0.7,
    goal: 1,
  };
}

function streamOf(piece: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = BYTES;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(piece);
      left -= piece.length;
      if (left <= 0) controller.close();
    },
  });
}

/** Longer than what DEFLATE looks back, so that its repetitions do not shrink. */
function randomPiece(): Uint8Array<ArrayBuffer> {
  return randomFillSync(new Uint8Array(PIECE_BYTES));
}

function csvPiece(): Uint8Array<ArrayBuffer> {
  const rows: string[] = [];
  for (let row = 0, size = 0; size < PIECE_BYTES; size += rows[row++]?.length ?? 0) {
    const cents = row * 7_919 % 100_000;
    rows.push(`${row},customer ${row * 31 % 5_000},2026-03-${10 + row % 20},${cents / 100},shipped\n`);
  }
  return new TextEncoder().encode(rows.join("")).slice(0, PIECE_BYTES);
}

/** What a program of this run-time can reach. */
async function rateOfFetch(file: string, url: string): Promise<number> {
  const script = new URL("../load/plain_put.ts", import.meta.url).pathname;
  const args = ["run", "--no-check", "--allow-read", "--allow-net=127.0.0.1", script, file, `${url}/c/k`];
  const { success, stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) throw new Error("fetch cannot upload");
  return BYTES / (Number(new TextDecoder().decode(stdout)) / 1_000);
}

/** What the machine can reach. */
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
