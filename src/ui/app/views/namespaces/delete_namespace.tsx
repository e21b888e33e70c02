/** Deletes a namespace, after a look at what it holds. */
import { send } from "../../api/client.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { isWithin, navigate } from "../../core/router.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, showToast } from "../../kit/feedback.tsx";
import { t } from "../../texts/mod.ts";
import { usageOf } from "./namespace.ts";
import { ReferenceList, referencesTo } from "./namespace_references.tsx";

/** The button. */
export function DeleteNamespaceButton({ namespace }: { readonly namespace: string }) {
  const remove = async () => {
    const usage = await attempt(() => usageOf(namespace));
    if (!usage) return;
    if (usage.flows > 0) {
      showToast("bad", t("namespaces.hasFlows", { count: usage.flows }));
      return navigate(pagePath("namespaces", namespace, "flows"));
    }
    const { files, kv, secrets } = usage;
    const { references } = await attempt(() => referencesTo(namespace)) ?? { references: [] };
    const text = (
      <>
        {files + kv + secrets > 0
          ? t("namespaces.confirmUsed", { files, kv, secrets })
          : t("namespaces.confirmEmpty")}
        <ReferenceList references={references} />
      </>
    );
    const action = t("namespaces.delete");
    if (!await confirmed({ title: action, text, action, isDangerous: true, phrase: namespace })) return;
    const isDeleted = await attempt(async () => {
      await send("DELETE", `/namespaces${apiPath(namespace)}`);
      return true;
    }, t("namespaces.deleted", { namespace }));
    // A person who has opened another page meanwhile stays there.
    if (isDeleted && isWithin("namespaces", namespace)) navigate(pagePath("namespaces"));
  };
  return <button type="button" class="danger" onClick={() => void remove()}>{t("namespaces.delete")}</button>;
}
