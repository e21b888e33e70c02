import { assert, assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { DomainError } from "../../../src/model/errors.ts";
import { type MultipartLimits, readForm, readMultipart } from "../../../src/http/bodies/multipart.ts";
import { patternBytes } from "../../support/flows/namespace_services.ts";

const LIMITS: MultipartLimits = { maxBytes: 10_000_000 };
const TYPE = "multipart/form-data; boundary=XX";
const encoder = new TextEncoder();

function request(body: BodyInit | null, contentType: string | null = TYPE): Request {
  const headers = new Headers(contentType === null ? {} : { "content-type": contentType });
  const made = new Request("http://localhost/", { method: "POST", body, headers });
  if (contentType === null) made.headers.delete("content-type");
  return made;
}

/** The body in pieces of that many bytes. */
function inPieces(text: string | Uint8Array, size: number): ReadableStream<Uint8Array> {
  const bytes = typeof text === "string" ? encoder.encode(text) : text;
  const count = Math.ceil(bytes.length / size);
  return ReadableStream.from(Array.from({ length: count }, (_, n) => bytes.slice(n * size, (n + 1) * size)));
}

function part(disposition: string, content: string, more = ""): string {
  return `--XX\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`;
}

const FORM = part('name="a"', "1") +
  part('name="file"; filename="x.bin"', "line\r\n--X\r\n--XY\r\r\n-", "Content-Type: text/plain\r\n") +
  part('name="empty"', "") + "--XX--\r\n";

for (const size of [1, 2, 3, 7, 1_000]) {
  Deno.test(`readForm() of a multipart body that arrives in pieces of ${size} bytes`, async () => {
    assertEquals(await readForm(request(inPieces(FORM, size)), LIMITS), [
      { name: "a", value: "1" },
      { name: "file", value: "line\r\n--X\r\n--XY\r\r\n-", fileName: "x.bin", contentType: "text/plain" },
      { name: "empty", value: "" },
    ]);
  });
}

Deno.test("readForm() of what clients build from FormData", async () => {
  const form = new FormData();
  form.append('quo"ted', "ü\r\nline");
  form.append("file", new File(["content"], 'na"me ü.txt', { type: "text/x" }));
  const made = new Request("http://localhost/", { method: "POST", body: form });
  assertEquals(await readForm(made, LIMITS), [
    { name: 'quo"ted', value: "ü\r\nline" },
    { name: "file", value: "content", fileName: 'na"me ü.txt', contentType: "text/x" },
  ]);
});

const NAMES: readonly (readonly [string, string, string | undefined])[] = [
  ["name=plain", "plain", undefined],
  ['NAME="a b"', "a b", undefined],
  ['name="a\\"b"', 'a"b', undefined],
  ['name="a%22b"', 'a"b', undefined],
  ['name="a;b"; filename="c;d"', "a;b", "c;d"],
  ['name="f"; filename=""', "f", ""],
  ['name="f"; filename="C:\\dir\\x.txt"', "f", "C:\\dir\\x.txt"],
  ['name="f"; filename="../../etc/passwd"', "f", "../../etc/passwd"],
  ["name=f; filename*=UTF-8''na%C3%AFve.zip", "f", "naïve.zip"],
  ['name="__proto__"', "__proto__", undefined],
];

for (const [disposition, name, fileName] of NAMES) {
  Deno.test(`readForm() of a part with ${disposition}`, async () => {
    const fields = await readForm(request(`${part(disposition, "v")}--XX--`), LIMITS);
    assertEquals(fields, [{ name, value: "v", ...(fileName !== undefined && { fileName }) }]);
  });
}

const EMPTY: readonly (readonly [string, string | null, string | null])[] = [
  ["the closing boundary alone", "--XX--", TYPE],
  ["the closing boundary and a line end", "--XX--\r\n", TYPE],
  ["a line end before the closing boundary", "\r\n--XX--\r\n", TYPE],
  ["an empty multipart body", "", TYPE],
  ["no body and no content type", null, null],
  ["no body but JSON announced", null, "application/json"],
  ["an empty body and JSON announced", "", "application/json"],
  ["an empty url-encoded form", "", "application/x-www-form-urlencoded"],
];

for (const [what, body, type] of EMPTY) {
  Deno.test(`readForm() of ${what} is empty`, async () => {
    assertEquals(await readForm(request(body, type), LIMITS), []);
  });
}

Deno.test("readForm() of a url-encoded form", async () => {
  const fields = await readForm(
    request("a=1&b=%C3%BC+x&a=2&c", "application/x-www-form-urlencoded;charset=UTF-8"),
    LIMITS,
  );
  assertEquals(fields.map(({ name, value }) => `${name}=${value}`), ["a=1", "b=ü x", "a=2", "c="]);
});

const REFUSED: readonly (readonly [string, string, string, DomainError["code"]])[] = [
  ["no boundary declared", "x", "multipart/form-data", "invalid_argument"],
  ["a boundary that is too long", "x", `multipart/form-data; boundary=${"x".repeat(71)}`, "invalid_argument"],
  ["another boundary than declared", "--YY\r\n\r\n--YY--", TYPE, "invalid_argument"],
  ["text that is no multipart", "hello", TYPE, "invalid_argument"],
  ["a long preamble", "x".repeat(10_000), TYPE, "invalid_argument"],
  ["no end", part('name="a"', "1"), TYPE, "invalid_argument"],
  [
    "an end within a part",
    '--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\nab',
    TYPE,
    "invalid_argument",
  ],
  ["an end within a header", "--XX\r\nContent-Dis", TYPE, "invalid_argument"],
  ["a part without header", "--XX\r\n\r\nab\r\n--XX--", TYPE, "invalid_argument"],
  ["a part without name", `${part('filename="a"', "1")}--XX--`, TYPE, "invalid_argument"],
  ["two names", `${part('name="a"; name="b"', "1")}--XX--`, TYPE, "invalid_argument"],
  ["a name that is not closed", `${part('name="a', "1")}--XX--`, TYPE, "invalid_argument"],
  [
    "another disposition",
    "--XX\r\nContent-Disposition: attachment; name=a\r\n\r\n1\r\n--XX--",
    TYPE,
    "invalid_argument",
  ],
  [
    "a header twice",
    `${part('name="a"', "1", "Content-Disposition: form-data; name=b\r\n")}--XX--`,
    TYPE,
    "invalid_argument",
  ],
  ["a folded header", `${part('name="a"', "1", " folded\r\n")}--XX--`, TYPE, "invalid_argument"],
  [
    "a long header",
    `${part('name="a"', "1", `X: ${"x".repeat(9_000)}\r\n`)}--XX--`,
    TYPE,
    "invalid_argument",
  ],
  [
    "many header lines",
    `${part('name="a"', "1", "X".repeat(1).concat(": 1\r\n").repeat(200))}--XX--`,
    TYPE,
    "invalid_argument",
  ],
  [
    "line ends without CR",
    '--XX\nContent-Disposition: form-data; name="a"\n\n1\n--XX--',
    TYPE,
    "invalid_argument",
  ],
  [
    "text after a boundary",
    '--XXjunk\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--XX--',
    TYPE,
    "invalid_argument",
  ],
  ["too many parts", `${part('name="a"', "1").repeat(1_001)}--XX--`, TYPE, "invalid_argument"],
  ["JSON", '{"inputs":{}}', "application/json", "unsupported_media_type"],
  ["text", "a=1", "text/plain", "unsupported_media_type"],
  ["much JSON", `"${"x".repeat(5_000)}"`, "application/json", "unsupported_media_type"],
  ["many url-encoded fields", "a=1&".repeat(1_001), "application/x-www-form-urlencoded", "invalid_argument"],
];

for (const [what, body, type, code] of REFUSED) {
  Deno.test(`readForm() refuses ${what}`, async () => {
    const error = await assertRejects(() => readForm(request(body, type), LIMITS), DomainError);
    assertEquals(error.code, code, error.message);
  });
}

Deno.test("readForm() refuses text that is not UTF-8", async () => {
  const bytes = new Uint8Array([
    ...encoder.encode('--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n'),
    0xff,
    0xfe,
    ...encoder.encode("\r\n--XX--"),
  ]);
  await assertRejects(() => readForm(request(bytes), LIMITS), DomainError, "UTF-8");
});

Deno.test("readForm() refuses bodies and fields that are too large", async () => {
  const body = `${part('name="a"', "x".repeat(5_000))}--XX--`;
  for (const limits of [{ maxBytes: 1_000 }, { maxBytes: 10_000, maxFieldBytes: 1_000 }]) {
    const error = await assertRejects(() => readForm(request(inPieces(body, 100)), limits), DomainError);
    assertEquals(error.code, "too_large");
  }
  const form = request("a=".padEnd(2_000, "x"), "application/x-www-form-urlencoded");
  assertEquals(
    (await assertRejects(() => readForm(form, { maxBytes: 1_000 }), DomainError)).code,
    "too_large",
  );
});

Deno.test("readForm() reads no more than 16 MiB of a url-encoded form, whatever limit its files have", async () => {
  let given = 0;
  const piece = encoder.encode("x".repeat(1024 * 1024));
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    controller.enqueue(piece);
    if (++given === 40) controller.close();
  };
  const form = request(new ReadableStream({ pull }), "application/x-www-form-urlencoded");
  const error = await assertRejects(() => readForm(form, { maxBytes: 10_000_000_000 }), DomainError);
  assertEquals([error.code, given < 20], ["too_large", true]);
});

Deno.test("the texts of a multipart form have at most 16 MiB together; files that are streamed do not count", async () => {
  async function* parts() {
    const content = "x".repeat(1024 * 1024);
    for (let count = 0; count < 20; count++) yield encoder.encode(part(`name="file${count}"`, content));
    for (let count = 0; count < 20; count++) yield encoder.encode(part(`name="text${count}"`, content));
    yield encoder.encode("--XX--");
  }
  const read: string[] = [];
  const error = await assertRejects(async () => {
    for await (
      const each of readMultipart(request(ReadableStream.from(parts())), { maxBytes: 100_000_000 })
    ) {
      if (each.name.startsWith("text")) await each.text();
      read.push(each.name);
    }
  }, DomainError);
  assertEquals([error.code, read.at(-1)], ["too_large", "text15"]);
  assertEquals(error.message, "Cannot take the form: its values have more than 16777216 bytes");
});

Deno.test("readForm() takes as many url-encoded fields as parts are allowed, and no more", async () => {
  const read = (body: string) =>
    readForm(request(body, "application/x-www-form-urlencoded"), { ...LIMITS, maxParts: 3 });
  assertEquals((await read("a=1&b=2&c")).map(({ name, value }) => [name, value]), [
    ["a", "1"],
    ["b", "2"],
    ["c", ""],
  ]);
  await assertRejects(() => read("a&b&c&d"), DomainError, "the form has more than 3 fields");
});

Deno.test("a body that breaks off is the caller's mistake", async () => {
  async function* broken() {
    yield encoder.encode(part('name="a"', "1"));
    await Promise.resolve();
    throw new TypeError("connection reset");
  }
  const made = request(ReadableStream.from(broken()));
  const error = await assertRejects(() => readForm(made, LIMITS), DomainError, "broke off");
  assertEquals(error.code, "bad_request");
});

Deno.test("readMultipart() streams a file and holds at most one chunk of it", async () => {
  const content = patternBytes(5_000_000);
  let given = 0;
  function* body() {
    yield encoder.encode('--XX\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n');
    for (; given < content.length; given += 50_000) yield content.subarray(given, given + 50_000);
    yield encoder.encode("\r\n--XX--\r\n");
  }
  let read = 0;
  let ahead = 0;
  for await (const file of readMultipart(request(ReadableStream.from(body())), LIMITS)) {
    for await (const piece of file.stream()) {
      assertEquals(piece, content.slice(read, read + piece.length));
      read += piece.length;
      ahead = Math.max(ahead, given - read);
    }
  }
  assertEquals(read, content.length);
  assert(ahead <= 500_000, `${ahead} bytes ahead`);
});

Deno.test("readMultipart() skips parts that are unread or read in part", async () => {
  const body = part('name="a"; filename="a"', "x".repeat(50_000)) +
    part('name="b"; filename="b"', "y".repeat(50_000)) +
    part('name="c"', "z") + "--XX--";
  const names: string[] = [];
  for await (const each of readMultipart(request(inPieces(body, 1_000)), LIMITS)) {
    names.push(each.name);
    if (each.name === "b") { for await (const _ of each.stream()) break; }
    if (each.name === "c") assertEquals(await each.text(), "z");
  }
  assertEquals(names, ["a", "b", "c"]);
});

Deno.test("readMultipart() that is left early releases the body", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(encoder.encode(part('name="a"', "x"))),
    cancel: () => void (isCancelled = true),
  });
  for await (const _ of readMultipart(request(body), LIMITS)) break;
  assert(isCancelled);
});

Deno.test("readForm() of any bytes returns fields or a DomainError", async () => {
  const token = fc.constantFrom(
    "--XX",
    "--XX--",
    "\r\n",
    "\r",
    "-",
    "Content-Disposition: form-data",
    '; name="a"',
    '; filename="f',
    '"',
    "\\",
    ": ",
    "x",
    "\u0000",
  );
  const text = fc.array(fc.oneof(token, fc.string()), { maxLength: 30 }).map((tokens) => tokens.join(""));
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 300 }), text.map((each) => encoder.encode(each)));
  await fc.assert(
    fc.asyncProperty(bytes, fc.integer({ min: 1, max: 50 }), async (body, size) => {
      const [outcome] = await Promise.allSettled([readForm(request(inPieces(body, size)), LIMITS)]);
      if (outcome.status === "rejected" && !(outcome.reason instanceof DomainError)) throw outcome.reason;
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("readForm() of any form returns what it was made of", async () => {
  const name = fc.string({ minLength: 1 }).filter((text) => !/[\r\n"\\%]/.test(text));
  const field = fc.record({ name, value: fc.string({ unit: "grapheme" }) }, { noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(
      fc.array(field, { maxLength: 10 }),
      fc.integer({ min: 1, max: 50 }),
      async (fields, size) => {
        const usable = fields.filter(({ value }) => !value.includes("--XX"));
        const body = usable.map(({ name, value }) => part(`name="${name}"`, value)).join("") + "--XX--";
        assertEquals(await readForm(request(inPieces(body, size)), LIMITS), usable);
      },
    ),
    { numRuns: 200 },
  );
});
