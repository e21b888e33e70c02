/** The address of a webhook, and a call of it that a person puts together and copies. */
import { useSignal } from "@preact/signals";
import { apiRoot } from "../../core/places.ts";
import { Field } from "../../kit/form.tsx";
import { CopyButton } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { curlText, type TriggerKey, WEBHOOK_METHODS } from "./trigger.ts";

interface WebhookAddressProps {
  readonly flow: TriggerKey;
  /** As the flow declares it; may be an expression. */
  readonly triggerKey: string;
}

/** The part of a trigger's dialog. */
export function WebhookAddress({ flow, triggerKey }: WebhookAddressProps) {
  const method = useSignal<typeof WEBHOOK_METHODS[number]>("POST");
  const parameters = useSignal("");
  const body = useSignal("");
  const isTemplate = triggerKey.includes("{{");
  const segments = [flow.namespace, flow.flowId].map(encodeURIComponent);
  const key = isTemplate ? "{key}" : encodeURIComponent(triggerKey);
  const address = `${location.origin}${apiRoot()}/executions/webhook/${[...segments, key].join("/")}`;
  const search = new URLSearchParams(parameters.value.replaceAll(/[\s,]+/g, "&")).toString();
  const url = search === "" ? address : `${address}?${search}`;
  const curl = curlText({ method: method.value, url, body: body.value });
  return (
    <section class="section">
      <div class="section-head">
        <h3>{t("triggers.webhook")}</h3>
        <CopyButton text={url} />
      </div>
      <pre class="code" tabIndex={0}>{url}</pre>
      <p class="dim">{t(isTemplate ? "triggers.webhookTemplate" : "triggers.webhookHint")}</p>
      <div class="webhook-call">
        <Field title={t("triggers.method")}>
          <select
            value={method.value}
            onChange={(event) => method.value = event.currentTarget.value as typeof method.value}
          >
            {WEBHOOK_METHODS.map((each) => <option key={each} value={each}>{each}</option>)}
          </select>
        </Field>
        <Field title={t("triggers.parameters")}>
          <input
            value={parameters.value}
            placeholder="city=Berlin, count=2"
            onInput={(event) => parameters.value = event.currentTarget.value}
          />
        </Field>
        {method.value !== "GET" && (
          <Field title={t("triggers.jsonBody")}>
            <input
              class="mono"
              value={body.value}
              placeholder='{"city": "Berlin"}'
              onInput={(event) => body.value = event.currentTarget.value}
            />
          </Field>
        )}
      </div>
      <div class="section-head">
        <h3>curl</h3>
        <CopyButton text={curl} />
      </div>
      <pre class="code" tabIndex={0}>{curl}</pre>
    </section>
  );
}
