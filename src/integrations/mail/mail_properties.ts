/** Properties of the types that send mails, and how addresses are read. */
import type { JsonValue } from "../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";

/** Sender, recipients and subject. Each recipient is a text of addresses separated by commas or semicolons, or a list. */
export const RECIPIENT_PROPERTIES: PropertySchemas = Object.freeze({
  from: dynamicText("Address of the sender, such as `Flows <flows@example.com>`.", { required: true }),
  to: dynamicProperty("any", "Addresses of the recipients, separated by commas, or a list.", {
    required: true,
  }),
  cc: dynamicProperty("any", "Addresses of those who get a copy, separated by commas, or a list."),
  bcc: dynamicProperty("any", "Addresses of those who get a hidden copy, separated by commas, or a list."),
  subject: dynamicText("Subject."),
});

const ATTACHED_FILE: PropertySchemas = {
  name: dynamicText("Name of the file.", { required: true }),
  uri: dynamicText("Storage URI of the file.", { required: true }),
  contentType: dynamicText("Media type.", { default: "application/octet-stream" }),
};

/** Files of a mail. */
export const ATTACHMENT_PROPERTIES: PropertySchemas = Object.freeze({
  attachments: dynamicProperty("list", "Attached files.", {
    items: dynamicProperty("object", "A file.", { properties: ATTACHED_FILE }),
  }),
  embeddedImages: dynamicProperty("list", "Images that the HTML shows by `cid:<name>`.", {
    items: dynamicProperty("object", "An image.", { properties: ATTACHED_FILE }),
  }),
});

/** A mail address; the name may be empty. */
interface MailAddress {
  readonly name: string;
  readonly address: string;
}

const NAMED = /^(.*)<([^<>]+)>$/s;
/** A line break would add headers. */
const ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

/** The addresses of a text or a list. @throws Error one is no address */
export function addressesOf(value: JsonValue | undefined): MailAddress[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(addressesOf);
  const text = String(value);
  const parts = text.trim().startsWith("[") ? text.trim().replace(/^\[|\]$/g, "") : text;
  return separated(parts).map((part) => part.trim()).filter(Boolean).map(addressOf);
}

/** The parts between commas and semicolons. Text in quotes may hold these. */
function separated(text: string): string[] {
  const parts: string[] = [];
  let from = 0, isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === "\\") at++;
    else if (!isQuoted && (character === "," || character === ";")) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

function addressOf(text: string): MailAddress {
  const [, name = "", found] = NAMED.exec(text) ?? [];
  const address = (found ?? text.replace(/^"(.*)"$/s, "$1")).trim();
  if (!ADDRESS.test(address)) throw new Error(`Invalid mail address ${JSON.stringify(text)}`);
  return { name: name.trim().replace(/^"(.*)"$/s, "$1").replace(/[\r\n]+/g, " "), address };
}
