/** The pages of the log-in and of the set-up of the first user: plain forms, without scripts. */
import { pageText, UI_PATH } from "./layout.ts";
import { type Html, type HtmlPart, markup } from "./markup.ts";

/** Path of the log-in page; its parameter `from` is the page to return to. */
export const LOGIN_PATH = `${UI_PATH}/login`;
/** Path of the set-up page. */
export const SETUP_PATH = `${UI_PATH}/setup`;

interface LoginPage {
  /** Local path of the page to return to. */
  readonly from: string;
  /** As given before. */
  readonly user?: string;
  /** Why the last attempt was refused. */
  readonly refusal?: string;
}

interface SetupPage extends Omit<LoginPage, "from"> {
  /** The caller is not on the machine of the server. */
  readonly needsToken: boolean;
}

/** The log-in page. */
export function loginPage({ from, user = "", refusal }: LoginPage): string {
  return formPage(
    "Log in",
    refusal,
    markup`<form class="login" method="post" action="${LOGIN_PATH}">
<input type="hidden" name="from" value="${from}">
${field({ name: "username", label: "User name", value: user, autocomplete: "username" })}
${field({ name: "password", label: "Password", type: "password", autocomplete: "current-password" })}
<button class="button">Log in</button>
</form>`,
  );
}

/** The set-up page. */
export function setupPage({ needsToken, user = "", refusal }: SetupPage): string {
  const hint = needsToken
    ? "This server has no user yet. It printed a set-up token when it started."
    : "This server has no user yet.";
  return formPage(
    "Set the first user",
    refusal,
    markup`<p>${hint}</p>
<form class="login" method="post" action="${SETUP_PATH}">
${field({ name: "username", label: "User name", value: user, autocomplete: "username" })}
${
      field({
        name: "password",
        label: "Password, at least 8 characters",
        type: "password",
        autocomplete: "new-password",
      })
    }
${needsToken && field({ name: "token", label: "Set-up token", autocomplete: "off" })}
<button class="button">Set the user</button>
</form>`,
  );
}

function formPage(title: string, refusal: string | undefined, form: HtmlPart): string {
  return pageText({
    title,
    content: markup`${refusal !== undefined && markup`<p class="notice" role="alert">${refusal}</p>`}
${form}`,
  });
}

function field(
  { name, label, value = "", type = "text", autocomplete }: {
    readonly name: string;
    readonly label: string;
    readonly value?: string;
    readonly type?: "text" | "password";
    readonly autocomplete: string;
  },
): Html {
  return markup`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}" required maxlength="256" autocapitalize="none" spellcheck="false">`;
}
