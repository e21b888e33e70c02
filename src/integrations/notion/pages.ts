/** `notion.page.…` and `notion.blocks.CreatePage`. https://developers.notion.com/reference/post-page */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf } from "../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { blocksMarkdown, plainText } from "./block_markdown.ts";
import {
  appendBlocks,
  callNotion,
  childBlocks,
  firstBlocks,
  NOTION_PROPERTIES,
  pageIdOf,
  pagePath,
} from "./client.ts";
import { markdownBlocks } from "./markdown_blocks.ts";

const PAGE_OUTPUTS: PropertySchemas = Object.freeze({
  pageId: { type: "string", description: "Id of the page." },
  url: { type: "string", description: "Address of the page." },
  title: { type: "string", description: "Title of the page." },
  content: { type: "string", description: "Content in Markdown." },
  createdTime: { type: "string", description: "When the page was created." },
  lastEditedTime: { type: "string", description: "When the page was last changed." },
  archived: { type: "boolean", description: "Whether the page is in the trash." },
  properties: { type: "map", description: "Properties of the page, as Notion has them." },
});

const PAGE: PropertySchemas = Object.freeze({
  ...NOTION_PROPERTIES,
  pageId: dynamicText("Id or address of the page.", { required: true }),
});

function outputsOf(page: JsonObject): JsonObject {
  const title = titleOf(page.properties);
  return {
    pageId: page.id ?? null,
    url: page.url ?? null,
    ...title !== undefined && { title },
    createdTime: page.created_time ?? null,
    lastEditedTime: page.last_edited_time ?? null,
    archived: page.archived ?? page.in_trash ?? false,
    properties: page.properties ?? {},
  };
}

/** The one property of the type `title`, whatever its name is. */
function titleOf(properties: JsonValue | undefined): string | undefined {
  const found = isJsonObject(properties)
    ? Object.values(properties).find((each) => isJsonObject(each) && Array.isArray(each.title))
    : undefined;
  return isJsonObject(found) ? plainText(found.title) : undefined;
}

function titleProperty(title: string): JsonObject {
  return { title: { title: [{ type: "text", text: { content: title } }] } };
}

const create = defineTask({
  type: "notion.page.Create",
  title: "Create a Notion page",
  description:
    "Creates a page with content in Markdown, below another page or at the root of the workspace. Content of more than 100 blocks is sent in further requests.",
  properties: {
    ...NOTION_PROPERTIES,
    title: dynamicText("Title of the page.", { required: true }),
    content: dynamicText("Content in Markdown."),
    parentPageId: dynamicText("Id or address of the page above; default is the root of the workspace."),
  },
  outputs: PAGE_OUTPUTS,
  examples: [{
    title: "Create a page",
    yaml: `id: page
type: io.svc.plugin.notion.page.Create
apiToken: "{{ secret('NOTION_TOKEN') }}"
parentPageId: 1f0c8a7e4d2b4f6a9c3e5d7b8a9c0d1e
title: Report
content: |
  ## Numbers
  - Orders: {{ outputs.query.size }}`,
  }],
  async run(context) {
    const { title, content, parentPageId } = context.properties;
    const blocks = await markdownBlocks(optionalText(content) ?? "");
    const { first, rest } = firstBlocks(blocks);
    const parent = optionalText(parentPageId);
    const page = await callNotion(context, {
      method: "POST",
      path: "/pages",
      json: {
        parent: parent === undefined
          ? { type: "workspace", workspace: true }
          : { type: "page_id", page_id: pageIdOf(parent) },
        properties: titleProperty(String(title)),
        ...first.length > 0 && { children: first },
      },
      operation: "create the page",
    });
    await appendBlocks(context, String(page.id), rest);
    return { ...outputsOf(page), title: String(title), ...content !== undefined && { content } };
  },
});

const update = defineTask({
  type: "notion.page.Update",
  title: "Update a Notion page",
  description: "Adds content in Markdown to the end of a page, and may change its title.",
  properties: {
    ...PAGE,
    title: dynamicText("New title."),
    content: dynamicText("Content in Markdown to add."),
  },
  outputs: PAGE_OUTPUTS,
  async run(context) {
    const { pageId, title, content } = context.properties;
    const id = pageIdOf(pageId);
    const newTitle = optionalText(title), added = optionalText(content);
    if (newTitle === undefined && added === undefined) {
      throw new Error("Nothing to change: give title or content");
    }
    const blocks = await markdownBlocks(added ?? "");
    if (newTitle !== undefined) {
      await callNotion(context, {
        method: "PATCH",
        path: pagePath(id),
        json: { properties: titleProperty(newTitle) },
        operation: "change the title of the page",
        isRepeatable: true,
      });
    }
    await appendBlocks(context, id, blocks);
    const page = await callNotion(context, { method: "GET", path: pagePath(id), operation: "read the page" });
    return { ...outputsOf(page), ...added !== undefined && { content: added } };
  },
});

const read = defineTask({
  type: "notion.page.Read",
  title: "Read a Notion page",
  description: "Gives out the properties of a page, and its content in Markdown.",
  properties: PAGE,
  outputs: PAGE_OUTPUTS,
  async run(context) {
    const id = pageIdOf(context.properties.pageId);
    const page = await callNotion(context, { method: "GET", path: pagePath(id), operation: "read the page" });
    const content = await blocksMarkdown(
      childBlocks(context, id),
      (block) => childBlocks(context, String(block.id)),
    );
    return { ...outputsOf(page), content };
  },
});

const archive = defineTask({
  type: "notion.page.Archive",
  title: "Archive a Notion page",
  description: "Moves a page to the trash, from which it can be restored.",
  properties: PAGE,
  outputs: PAGE_OUTPUTS,
  async run(context) {
    const page = await callNotion(context, {
      method: "PATCH",
      path: pagePath(context.properties.pageId),
      json: { archived: true },
      operation: "archive the page",
      isRepeatable: true,
    });
    return outputsOf(page);
  },
});

/** For rows of databases, and for blocks that Markdown does not have. */
const createPage = defineTask({
  type: "notion.blocks.CreatePage",
  title: "Create a Notion page of blocks",
  description:
    "Creates a page, or a row of a database, from properties and blocks as the API of Notion has them.",
  properties: {
    ...NOTION_PROPERTIES,
    parent: dynamicProperty("map", "Where the page is, such as `database_id` or `page_id`.", {
      required: true,
    }),
    properties: dynamicProperty("map", "Properties of the page.", { required: true }),
    children: dynamicProperty("list", "Blocks of the page.", {
      items: { type: "any", description: "A block." },
    }),
  },
  outputs: PAGE_OUTPUTS,
  examples: [{
    title: "Add a row to a database",
    yaml: `id: row
type: io.svc.plugin.notion.blocks.CreatePage
apiToken: "{{ secret('NOTION_TOKEN') }}"
parent:
  database_id: 1f0c8a7e4d2b4f6a9c3e5d7b8a9c0d1e
properties:
  Name:
    title:
      - text:
          content: "{{ execution.id }}"`,
  }],
  async run(context) {
    const { parent, properties, children } = context.properties;
    const { first, rest } = firstBlocks(objectsOf(children));
    const page = await callNotion(context, {
      method: "POST",
      path: "/pages",
      json: {
        parent: parent ?? {},
        properties: properties ?? {},
        ...first.length > 0 && { children: first },
      },
      operation: "create the page",
    });
    await appendBlocks(context, String(page.id), rest);
    return outputsOf(page);
  },
});

/** Types below `notion.`. */
export const PAGE_TASKS = [archive, create, createPage, read, update];
