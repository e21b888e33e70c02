/** Python packages for tests, and an index of them on the loopback interface. */
import { buildZip, type ZipSpec } from "../zip_builder.ts";

/** A wheel and its file name. */
export interface Wheel {
  readonly fileName: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** A package with one module, whose `__version__` is its version. */
export function moduleWheel(name: string, version: string): Wheel {
  return wheelOf(name, version, [{ name: `${name}.py`, data: `__version__ = "${version}"\n` }]);
}

/** A package with one program. */
export function programWheel(name: string, version: string, script: string): Wheel {
  return wheelOf(name, version, [{ name: `${name}-${version}.data/scripts/${name}`, data: script }]);
}

/** A package with these files. */
export function wheelOf(name: string, version: string, files: readonly ZipSpec[]): Wheel {
  const info = `${name}-${version}.dist-info`;
  const members: readonly ZipSpec[] = [
    ...files,
    { name: `${info}/METADATA`, data: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n` },
    {
      name: `${info}/WHEEL`,
      data: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    },
  ];
  const record = [...members.map((member) => `${member.name},,`), `${info}/RECORD,,`, ""].join("\n");
  const content = buildZip([...members, { name: `${info}/RECORD`, data: record }]);
  return { fileName: `${name}-${version}-py3-none-any.whl`, content };
}

/** How an index presents its wheels. */
interface IndexOptions {
  /** Default: `html`. */
  readonly format?: "html" | "json";
  /** The hash that it states for each wheel; default: the right one. */
  readonly sha256?: string | null;
}

/** A running index. */
export class PackageIndex implements AsyncDisposable {
  /** Requested paths, in order. */
  readonly requests: string[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #wheels: readonly Wheel[];
  readonly #options: IndexOptions;

  constructor(wheels: readonly Wheel[], options: IndexOptions = {}) {
    this.#wheels = wheels;
    this.#options = options;
    const onListen = () => {};
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen },
      (request) => this.#respond(request),
    );
  }

  /** Value for `PIP_INDEX_URL`. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/simple`;
  }

  /** Stops it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #respond({ url }: Request): Promise<Response> {
    const { pathname } = new URL(url);
    this.requests.push(pathname);
    const wheel = this.#wheels.find(({ fileName }) => pathname === `/files/${fileName}`);
    if (wheel) return new Response(wheel.content);
    const name = /^\/simple\/([^/]+)\/$/.exec(pathname)?.[1];
    const found = this.#wheels.filter(({ fileName }) =>
      fileName.split("-")[0]?.replaceAll("_", "-") === name
    );
    if (found.length === 0) return new Response("no such package", { status: 404 });
    const rows = await Promise.all(found.map((each) => this.#row(each)));
    return this.#options.format === "json" ? jsonPage(rows) : htmlPage(rows);
  }

  async #row({ fileName, content }: Wheel): Promise<{ fileName: string; sha256: string | null }> {
    const { sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", content)).toHex() } = this.#options;
    return { fileName, sha256 };
  }
}

type Row = { readonly fileName: string; readonly sha256: string | null };

function jsonPage(rows: readonly Row[]): Response {
  const files = rows.map(({ fileName, sha256 }) => ({
    filename: fileName,
    url: `/files/${fileName}`,
    hashes: sha256 === null ? {} : { sha256 },
    "requires-python": null,
  }));
  const headers = { "content-type": "application/vnd.pypi.simple.v1+json" };
  return new Response(JSON.stringify({ meta: { "api-version": "1.0" }, files }), { headers });
}

function htmlPage(rows: readonly Row[]): Response {
  const links = rows.map(({ fileName, sha256 }) =>
    `<a href="../../files/${fileName}${sha256 === null ? "" : `#sha256=${sha256}`}">${fileName}</a>`
  );
  return new Response(`<html><body>${links.join("")}</body></html>`, {
    headers: { "content-type": "text/html" },
  });
}
