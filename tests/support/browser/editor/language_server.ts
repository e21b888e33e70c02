/**
 * Runs the language service of YAML editors over documents: a program of its own with a lock file of its own, so that the
 * package neither joins the project's dependencies nor the binary, which holds all of these. Its one argument is the
 * package; standard input is a list of {@link EditorRequest}, standard output a list of {@link EditorView} for each.
 */

/** A schema, and the documents to look at with it. */
export interface EditorRequest {
  readonly schema: unknown;
  /** Each with at most one {@link CURSOR}. */
  readonly documents: readonly string[];
}

/** What an editor shows of a document: problems, or, where there is a cursor, what it offers there. */
export interface EditorView {
  /** `line: message`, lines from 1, in the order of the source. */
  readonly problems: readonly string[];
  readonly offers: readonly string[];
}

/** Where the author is typing. */
export const CURSOR = "‸";

const SCHEMA_URI = "memory:///flow-schema.json";

interface Position {
  readonly line: number;
  readonly character: number;
}

interface TextDocument {
  positionAt(offset: number): Position;
}

interface LanguageService {
  configure(settings: object): void;
  doValidation(document: TextDocument, isKubernetes: boolean): Promise<Diagnostic[]>;
  doComplete(
    document: TextDocument,
    position: Position,
    isKubernetes: boolean,
  ): Promise<{ readonly items: readonly { readonly label: string }[] }>;
}

interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: Position };
}

/** The part of the package that is used. */
interface LanguageModule {
  getLanguageService(options: object): LanguageService;
  readonly TextDocument: {
    create(uri: string, language: string, version: number, text: string): TextDocument;
  };
}

/** `folder` is a name that no other request has: the service keeps what it knows of a document of the same address. */
async function inspect(
  module: LanguageModule,
  { schema, documents }: EditorRequest,
  folder: number,
): Promise<EditorView[]> {
  const service = module.getLanguageService({
    schemaRequestService: () => Promise.reject(new Error("Nothing is fetched")),
    workspaceContext: { resolveRelativePath: (path: string) => path },
  });
  const schemas = [{ uri: SCHEMA_URI, fileMatch: ["*.yaml"], schema }];
  service.configure({ validate: true, completion: true, hover: false, format: false, schemas });
  const views: EditorView[] = [];
  for (const [index, text] of documents.entries()) {
    const at = text.indexOf(CURSOR);
    const source = at < 0 ? text : text.slice(0, at) + text.slice(at + 1);
    const document = module.TextDocument.create(`file:///${folder}/${index}.yaml`, "yaml", 1, source);
    const found = at < 0 ? await service.doValidation(document, false) : [];
    const offered = at < 0 ? [] : (await service.doComplete(document, document.positionAt(at), false)).items;
    views.push({ problems: problemLines(found), offers: offered.map(({ label }) => label) });
  }
  return views;
}

function problemLines(found: readonly Diagnostic[]): string[] {
  return [...found].sort((a, b) => a.range.start.line - b.range.start.line)
    .map(({ message, range }) => `${range.start.line + 1}: ${message}`);
}

if (import.meta.main) {
  const [specifier = ""] = Deno.args;
  const module: LanguageModule = await import(specifier);
  const requests: EditorRequest[] = await new Response(Deno.stdin.readable).json();
  const views: EditorView[][] = [];
  for (const [index, request] of requests.entries()) views.push(await inspect(module, request, index));
  await new Response(JSON.stringify(views)).body?.pipeTo(Deno.stdout.writable);
}
