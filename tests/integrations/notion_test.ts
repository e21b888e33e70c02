/** The types of Notion against a stub of its API; shapes: https://developers.notion.com/reference. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { markdownBlocks } from "../../src/integrations/notion/markdown_blocks.ts";
import { NOTION_TASKS } from "../../src/integrations/notion/registry.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../support/servers/api_stub.ts";
import { type DefinitionRun, runDefinition } from "../support/flows/definition_run.ts";

const TOKEN = "ntn_hidden";
const ID = "1f0c8a7e-4d2b-4f6a-9c3e-5d7b8a9c0d1e";
const PAGE = {
  object: "page",
  id: ID,
  url: "https://www.notion.so/Report-1f0c8a7e4d2b4f6a9c3e5d7b8a9c0d1e",
  created_time: "2024-05-06T07:08:00.000Z",
  last_edited_time: "2024-05-06T07:09:00.000Z",
  archived: false,
  properties: { Name: { id: "title", type: "title", title: [{ plain_text: "Report" }] } },
};
const OUTPUTS = {
  pageId: ID,
  url: PAGE.url,
  title: "Report",
  createdTime: PAGE.created_time,
  lastEditedTime: PAGE.last_edited_time,
  archived: false,
  properties: PAGE.properties,
};

function notionStub(reply: (request: ApiRequest) => ApiReply): ApiStub {
  return new ApiStub((request) => {
    const { authorization, "notion-version": version } = request.headers;
    if (authorization === `Bearer ${TOKEN}` && version === "2022-06-28") return reply(request);
    const error = { object: "error", status: 401, code: "unauthorized", message: "API token is invalid." };
    return Response.json(error, { status: 401 });
  });
}

function run(stub: ApiStub, name: string, properties: JsonObject): Promise<DefinitionRun> {
  const definition = NOTION_TASKS.find(({ type }) => type === `notion.${name}`);
  if (!definition) throw new Error(`no type ${name}`);
  return runDefinition(definition, { apiToken: TOKEN, ...properties }, {
    origins: { "https://api.notion.com": stub.url },
  });
}

const text = (content: string, further: object = {}) => ({ type: "text", text: { content }, ...further });
const block = (type: string, content: object) => ({ object: "block", type, [type]: content });

/** Markdown, and its blocks. */
const BLOCKS: readonly (readonly [markdown: string, blocks: readonly object[]])[] = [
  ["# A\n#### B", [
    block("heading_1", { rich_text: [text("A")] }),
    block("heading_3", { rich_text: [text("B")] }),
  ]],
  ["a **b *c*** ~~d~~ `e<` [f](https://g.example) [h](/i) & \\*j\\*", [
    block("paragraph", {
      rich_text: [
        text("a "),
        text("b ", { annotations: { bold: true } }),
        text("c", { annotations: { bold: true, italic: true } }),
        text(" "),
        text("d", { annotations: { strikethrough: true } }),
        text(" "),
        text("e<", { annotations: { code: true } }),
        text(" "),
        { type: "text", text: { content: "f", link: { url: "https://g.example" } } },
        text(" "),
        text("h"),
        text(" & "),
        text("*"),
        text("j"),
        text("*"),
      ],
    }),
  ]],
  ["- a\n  1. b\n- [x] c", [
    block("bulleted_list_item", {
      rich_text: [text("a")],
      children: [block("numbered_list_item", { rich_text: [text("b")] })],
    }),
    block("to_do", { rich_text: [text("c")], checked: true }),
  ]],
  ["> a\n\n---\n\n```ts\nlet b;\n```\n\n```nix\nc\n```", [
    block("quote", { rich_text: [text("a")] }),
    block("divider", {}),
    block("code", { rich_text: [text("let b;")], language: "typescript" }),
    block("code", { rich_text: [text("c")], language: "plain text" }),
  ]],
  ["| a | b |\n| - | - |\n| c | d |", [
    block("table", {
      table_width: 2,
      has_column_header: true,
      has_row_header: false,
      children: [
        block("table_row", { cells: [[text("a")], [text("b")]] }),
        block("table_row", { cells: [[text("c")], [text("d")]] }),
      ],
    }),
  ]],
  ["x".repeat(2001), [block("paragraph", { rich_text: [text("x".repeat(2000)), text("x")] })]],
  ["", []],
];

for (const [markdown, blocks] of BLOCKS) {
  Deno.test(`markdownBlocks() of ${JSON.stringify(markdown.slice(0, 60))}`, async () => {
    assertEquals<unknown>(await markdownBlocks(markdown), blocks);
  });
}

Deno.test("Create sends 100 blocks with the page, and then the others", async () => {
  await using stub = notionStub(() => PAGE);
  const content = Array.from({ length: 201 }, (_each, n) => `- ${n}`).join("\n");
  const { outputs } = await run(stub, "page.Create", { title: "Report", content, parentPageId: ID });
  assertEquals(outputs, { ...OUTPUTS, content });
  assertEquals(stub.calls, [
    "POST /v1/pages",
    `PATCH /v1/blocks/${ID}/children`,
    `PATCH /v1/blocks/${ID}/children`,
  ]);
  const [page, ...further] = stub.requests.map((request) => JSON.parse(request.text));
  assertEquals([page.parent, page.properties, page.children.length], [
    { type: "page_id", page_id: ID },
    { title: { title: [text("Report")] } },
    100,
  ]);
  assertEquals(further.map(({ children }) => children.length), [100, 1]);
  await run(stub, "page.Create", { title: "Root" });
  assertEquals(JSON.parse(stub.requests.at(-1)?.text ?? "").parent, { type: "workspace", workspace: true });
});

Deno.test("Update changes the title and adds content", async () => {
  await using stub = notionStub(() => PAGE);
  const pageId = `https://www.notion.so/acme/Report-${ID.replaceAll("-", "")}?v=1`;
  const { outputs } = await run(stub, "page.Update", { pageId, title: "New", content: "a" });
  assertEquals(outputs, { ...OUTPUTS, content: "a" });
  assertEquals(stub.calls, [
    `PATCH /v1/pages/${ID}`,
    `PATCH /v1/blocks/${ID}/children`,
    `GET /v1/pages/${ID}`,
  ]);
  await assertRejects(() => run(stub, "page.Update", { pageId }), Error, "Nothing to change");
  await assertRejects(() => run(stub, "page.Update", { pageId: "x", title: "a" }), Error, "Invalid page id");
});

/** A text as Notion gives it. */
const read = (content: string, further: object = {}) => ({
  rich_text: [{ plain_text: content, href: null, annotations: {}, ...further }],
});

Deno.test("Read gives out the content in Markdown, with the blocks within blocks and of all pages", async () => {
  const inner = "2f0c8a7e-4d2b-4f6a-9c3e-5d7b8a9c0d1e", table = "3f0c8a7e-4d2b-4f6a-9c3e-5d7b8a9c0d1e";
  await using stub = notionStub(({ path, query }) => {
    if (path === `/v1/pages/${ID}`) return PAGE;
    if (path.includes(inner)) {
      return { results: [block("to_do", { ...read("deep"), checked: true })], has_more: false };
    }
    if (path.includes(table)) {
      const row = (...cells: string[]) =>
        block("table_row", { cells: cells.map((cell) => read(cell).rich_text) });
      return { results: [row("a", "b"), row("c|", "d")], has_more: false };
    }
    if (query.start_cursor === undefined) {
      return {
        results: [
          block("heading_2", read("Title")),
          block("paragraph", read("bold", { annotations: { bold: true }, href: "https://a.example" })),
          { ...block("bulleted_list_item", read("one")), id: inner, has_children: true },
          block("bulleted_list_item", read("two")),
          block("child_page", { title: "left out" }),
        ],
        has_more: true,
        next_cursor: "next",
      };
    }
    return {
      results: [
        block("code", { ...read("let a;"), language: "typescript" }),
        block("quote", read("said")),
        { ...block("table", { table_width: 2 }), id: table, has_children: true },
        block("divider", {}),
      ],
      has_more: false,
    };
  });
  const { outputs } = await run(stub, "page.Read", { pageId: ID });
  assertEquals(
    outputs.content,
    "## Title\n\n[**bold**](https://a.example)\n\n- one\n  - [x] deep\n- two\n\n```typescript\nlet a;\n```\n\n" +
      "> said\n\n| a | b |\n| --- | --- |\n| c\\| | d |\n\n---",
  );
  assertEquals(outputs.title, "Report");
});

Deno.test("Archive and CreatePage send what the API expects", async () => {
  await using stub = notionStub(() => ({ ...PAGE, archived: true }));
  assertEquals((await run(stub, "page.Archive", { pageId: ID })).outputs.archived, true);
  const row = { parent: { database_id: ID }, properties: { Name: { title: [{ text: { content: "a" } }] } } };
  assertEquals((await run(stub, "blocks.CreatePage", row)).outputs.pageId, ID);
  assertEquals(stub.requests.map((request) => JSON.parse(request.text)), [{ archived: true }, row]);
});

Deno.test("a refusal of Notion is reported without the token", async () => {
  const error = { object: "error", status: 404, code: "object_not_found", message: "Could not find page." };
  await using stub = notionStub(() => Response.json(error, { status: 404 }));
  const { message } = await assertRejects(() => run(stub, "page.Read", { pageId: ID }), Error);
  assertEquals(
    message,
    'Cannot read the page at "api.notion.com": the response was 404: Could not find page. (object_not_found)',
  );
});
