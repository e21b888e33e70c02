/** Bodies of forms: fields or a refusal, the same however the body is cut into pieces. */
import type { Chance } from "../../crash/chance.ts";
import { cutAt, outcomeOf, SMALL_LIMITS } from "../../http/bodies/multipart_bodies.ts";
import { mutate, type Spares } from "../mutate.ts";
import { expect, type Input, shown, type Target } from "../target.ts";

const DISPOSITION = "Content-Disposition: form-data; ";
const HEADERS = [
  'name="a"',
  'name=a; filename="b.txt"\r\nContent-Type: text/plain',
  "name=\"f\"; filename*=UTF-8''na%C3%AFve.txt",
  'name="\\"q%22"; filename=""',
  'name="x"; filename="..\\..\\y"\r\nX-Other: 1',
];
const CONTENTS = [
  "",
  "1",
  "\r\n",
  "--XX",
  "\r\n--X",
  "\r\n\r\n--",
  "\r\r\n--XX\r",
  "\u00c3\u00a9",
  "\u00ff\u0000",
  "x".repeat(300),
];
const TYPES = [
  "multipart/form-data; boundary=XX",
  'multipart/form-data; boundary="XX"',
  "Multipart/Form-Data;charset=utf-8; boundary=XX",
  "multipart/form-data; boundary=-",
  "multipart/form-data",
  "application/x-www-form-urlencoded",
  "application/json",
];
const SPARES: Spares = {
  corpus: [
    '--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--XX--\r\n',
    "a=1&b=%C3%BC+x&c",
    "{}",
  ],
  tokens: [
    ...'--XX|--XX--|\r\n--XX\r\n|\r\n--XX--|\r\n|\r|\n|\r\n\r\n|--|-|X|; name="b"|; filename="c"|"|\\|: |;|=|%22|\u0000|\u00ff'
      .split("|"),
    DISPOSITION,
  ],
};

function generate(chance: Chance): Input {
  const parts = Array.from({ length: Math.floor(chance.next() * 5) }, () => {
    return `--XX\r\n${DISPOSITION}${chance.pick(HEADERS)}\r\n\r\n${chance.pick(CONTENTS)}\r\n`;
  });
  const whole = chance.holds(0.1) ? chance.pick(SPARES.corpus) ?? "" : `${parts.join("")}--XX--\r\n`;
  const body = chance.holds(0.8) ? mutate(whole, chance, SPARES) : whole;
  const type = chance.holds(0.8) ? TYPES[0] : chance.pick(TYPES);
  const cuts = Array.from(
    { length: Math.floor(chance.next() * 20) },
    () => Math.floor(chance.next() * body.length),
  );
  return [body, type ?? "", cuts.join(" ")];
}

async function check([text = "", type = "", cuts = ""]: Input): Promise<void> {
  const body = bytesOf(text);
  const whole = await outcomeOf(cutAt(body, []), type);
  const offsets = cuts.split(" ").map(Number);
  const inPieces = await outcomeOf(cutAt(body, offsets), type);
  // Of several things that are wrong with a long body, whatever is met first is told.
  if (body.length > SMALL_LIMITS.maxBytes) return;
  expect(whole === inPieces, () => `Whole ${shown(whole)}, in pieces ${shown(inPieces)}`);
  if (body.length > 500) return;
  const inBytes = await outcomeOf(cutAt(body, [...body.keys()]), type);
  expect(whole === inBytes, () => `Whole ${shown(whole)}, in bytes ${shown(inBytes)}`);
}

/** One byte a character; what does not fit is cut to one. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
}

/** A body, its content type, and where it is cut. */
export const multipartTarget: Target = { name: "multipart", generate, check };
