/** The pages of the log-in and of the set-up of the first user: plain forms, without scripts. */
import type { Language } from "./bundle.ts";
import { pageText, UI_PATH } from "./layout.ts";
import { LOGIN_TEXTS } from "./login_texts.ts";
import { type Html, type HtmlPart, markup } from "./markup.ts";

/** Path of the log-in page; its parameter `from` is the page to return to. */
export const LOGIN_PATH = `${UI_PATH}/login`;
/** Path of the set-up page. */
export const SETUP_PATH = `${UI_PATH}/setup`;

interface LoginPage {
  readonly language: Language;
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
export function loginPage({ language, from, user = "", refusal }: LoginPage): string {
  const texts = LOGIN_TEXTS[language];
  return formPage(
    { title: texts.logIn, language, refusal },
    markup`<form class="login" method="post" action="${LOGIN_PATH}">
<input type="hidden" name="from" value="${from}">
${field({ name: "username", label: texts.userName, value: user, autocomplete: "username" })}
${field({ name: "password", label: texts.password, type: "password", autocomplete: "current-password" })}
<button class="button">${texts.logIn}</button>
</form>`,
  );
}

/** The set-up page. */
export function setupPage({ language, needsToken, user = "", refusal }: SetupPage): string {
  const texts = LOGIN_TEXTS[language];
  return formPage(
    { title: texts.setUp, language, refusal },
    markup`<p>${needsToken ? texts.noUserToken : texts.noUser}</p>
<form class="login" method="post" action="${SETUP_PATH}">
${field({ name: "username", label: texts.userName, value: user, autocomplete: "username" })}
${
      field({
        name: "password",
        label: texts.newPassword,
        type: "password",
        autocomplete: "new-password",
      })
    }
${needsToken && field({ name: "token", label: texts.token, autocomplete: "off" })}
<button class="button">${texts.setUser}</button>
</form>`,
  );
}

function formPage(
  { title, language, refusal }: Pick<LoginPage, "language" | "refusal"> & { readonly title: string },
  form: HtmlPart,
): string {
  return pageText({
    title,
    language,
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
