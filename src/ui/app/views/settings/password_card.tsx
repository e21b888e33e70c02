/** The password of the person. */
import { access } from "../../core/access.ts";
import { send } from "../../api/client.ts";
import { attempt } from "../../kit/feedback.tsx";
import { Field } from "../../kit/form.tsx";
import { t } from "../../texts/mod.ts";

/** A form that changes it; nothing for a person whose password is an option of the server. */
export function PasswordCard() {
  if (!access.value?.person.hasPassword) return null;
  const change = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const body = Object.fromEntries(new FormData(form));
    await attempt(async () => {
      await send("PUT", "/api/v1/me/password", { body });
      form.reset();
    }, t("settings.passwordChanged"));
  };
  return (
    <section class="card">
      <h2>{t("admin.password")}</h2>
      <form onSubmit={(event) => void change(event)}>
        <Field title={t("admin.oldPassword")}>
          <input type="password" name="oldPassword" autocomplete="current-password" required />
        </Field>
        <Field title={t("admin.newPassword")}>
          <input type="password" name="newPassword" autocomplete="new-password" minLength={8} required />
        </Field>
        <button type="submit">{t("settings.changePassword")}</button>
      </form>
    </section>
  );
}
