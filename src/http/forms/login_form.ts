/** Reads what a log-in or the set-up of the first user sends: a JSON object or a form. */
import type { Context } from "hono";
import { isJsonObject } from "../../base/json.ts";
import { mediaTypeOf, readJson } from "../bodies/body.ts";
import { textMember } from "../bodies/entity_body.ts";
import type { AppEnv } from "../env.ts";
import { readForm } from "../bodies/multipart.ts";
import { invalidEntity } from "../refusals.ts";

/** The members of a log-in; absent ones are empty. */
export interface LoginForm {
  readonly user: string;
  readonly password: string;
  /** Of the set-up. */
  readonly token?: string;
  /** The page to return to. */
  readonly from?: string;
}

/** Longest form: user name, password, token and path. */
const MAX_FORM_BYTES = 16_384;
const FORM = 'the body must be of the form {"username": "…", "password": "…"}';
/** Never sent: makes a path a URL. */
const ORIGIN = "http://local";

/** The credentials of a JSON body or a form. @throws DomainError invalid_json, invalid_entity, too_large */
export async function readLoginForm(c: Context<AppEnv>): Promise<LoginForm> {
  const fields = mediaTypeOf(c.req.raw) === "application/x-www-form-urlencoded"
    ? await readFields(c)
    : await readMembers(c);
  if (fields.user === "" || fields.password === "") {
    throw invalidEntity("username and password must not be empty");
  }
  return fields;
}

/** As {@link readLoginForm}, for the forms of pages: any member may be empty. @throws DomainError too_large, unsupported_media_type */
export async function readFields(c: Context<AppEnv>): Promise<LoginForm> {
  const fields = await readForm(c.req.raw, { maxBytes: MAX_FORM_BYTES, maxFieldBytes: MAX_FORM_BYTES });
  const values = new Map(fields.map(({ name, value }) => [name, value]));
  return {
    user: (values.get("username") ?? "").trim(),
    password: values.get("password") ?? "",
    token: values.get("token")?.trim() || undefined,
    from: values.get("from"),
  };
}

async function readMembers(c: Context<AppEnv>): Promise<LoginForm> {
  const body = await readJson(c, MAX_FORM_BYTES);
  if (!isJsonObject(body)) throw invalidEntity(FORM);
  return {
    user: (textMember(body, "username") ?? "").trim(),
    password: textMember(body, "password") ?? "",
    token: textMember(body, "token"),
  };
}

/** A path of this server with its query, as text; `fallback` for anything else, such as the address of another server. */
export function localPath(text: string | null | undefined, fallback: string): string {
  // deno-lint-ignore no-control-regex
  if (!text?.startsWith("/") || /[\\\u0000-\u001f\u007f]/.test(text) || !URL.canParse(text, ORIGIN)) {
    return fallback;
  }
  const { origin, pathname, search } = new URL(text, ORIGIN);
  return origin === ORIGIN && !pathname.startsWith("//") ? pathname + search : fallback;
}
