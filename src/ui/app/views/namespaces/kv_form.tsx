/** The form of a KV pair. */
import { type Signal, useSignal } from "@preact/signals";
import { send } from "../../api/client.ts";
import { apiPath } from "../../core/places.ts";
import { Field, FormDialog } from "../../kit/form.tsx";
import { t } from "../../texts/mod.ts";
import { hasItem, KeyField } from "./item_list.tsx";
import {
  isKvText,
  KV_EXAMPLES,
  KV_TYPES,
  kvBody,
  type KvRow,
  kvText,
  type KvType,
  type KvValue,
} from "./kv_value.ts";

interface KvFormProps {
  readonly namespace: string;
  /** Absent: a new one. */
  readonly pair?: KvRow;
  readonly value?: KvValue;
  readonly reload: () => Promise<void>;
  readonly onClose: () => void;
}

/** A dialog that creates or changes a pair. */
export function KvForm({ namespace, pair, value, reload, onClose }: KvFormProps) {
  const key = useSignal(pair?.key ?? "");
  const taken = useSignal<string | undefined>(undefined);
  const type = useSignal<KvType>(value?.type ?? "STRING");
  const text = useSignal(value ? kvText(value) : "");
  // Saving without a duration would remove the expiry.
  const ttl = useSignal(remainingOf(pair));
  const description = useSignal(pair?.description ?? "");
  const onSend = async () => {
    if (!isKvText(type.value, text.value)) {
      throw new Error(t("namespaces.kvInvalid", { type: type.value, example: KV_EXAMPLES[type.value] }));
    }
    const name = key.value.trim();
    if (!pair && await hasItem("/kv", { namespace, key: name })) {
      taken.value = name;
      throw new Error(t("items.kvExists", { key: name }));
    }
    const { body, contentType } = kvBody(type.value, text.value);
    const headers = {
      "content-type": contentType,
      ...(ttl.value.trim() !== "" && { ttl: ttl.value.trim() }),
      ...(description.value !== "" && { description: description.value }),
    };
    await send("PUT", `/namespaces${apiPath(namespace)}/kv${apiPath(name)}`, { body, headers });
    await reload();
  };
  return (
    <FormDialog
      title={pair ? pair.key : t("namespaces.kvCreate")}
      action={t("common.save")}
      done={t("namespaces.kvSaved", { key: key.value })}
      onSend={onSend}
      onClose={onClose}
    >
      {!pair && (
        <KeyField
          title={t("namespaces.key")}
          hint={t("namespaces.keyHint")}
          pattern="[a-zA-Z0-9][a-zA-Z0-9._\-]*"
          value={key}
          taken={taken}
        />
      )}
      <Field title={t("triggers.type")}>
        <select value={type.value} onChange={(event) => type.value = event.currentTarget.value as KvType}>
          {KV_TYPES.map((each) => <option key={each} value={each}>{each}</option>)}
        </select>
      </Field>
      <Field title={t("namespaces.value")}>
        <textarea
          placeholder={KV_EXAMPLES[type.value]}
          value={text.value}
          onInput={(event) => text.value = event.currentTarget.value}
        />
      </Field>
      <TtlField ttl={ttl} isReplaced={pair !== undefined} />
      <Field title={t("namespaces.description")}>
        <input
          value={description.value}
          // It is sent as a header, which has no other characters.
          pattern="[\x20-\x7e\xa0-\xff]*"
          title={t("namespaces.latinOnly")}
          onInput={(event) => description.value = event.currentTarget.value}
        />
      </Field>
    </FormDialog>
  );
}

/** The time until a pair expires, as a duration; empty if it does not. */
function remainingOf(pair: KvRow | undefined): string {
  if (pair?.expirationDate === undefined) return "";
  const seconds = Math.round((Date.parse(pair.expirationDate) - Date.now()) / 1_000);
  return `PT${Math.max(1, seconds)}S`;
}

function TtlField({ ttl, isReplaced }: { readonly ttl: Signal<string>; readonly isReplaced: boolean }) {
  return (
    <Field title={t("namespaces.ttl")} hint={t(isReplaced ? "namespaces.ttlAgain" : "namespaces.ttlHint")}>
      <input
        list="kv-ttl"
        placeholder="P30D"
        value={ttl.value}
        onInput={(event) =>
          ttl.value = event.currentTarget.value}
      />
      <datalist id="kv-ttl">
        {["PT1H", "P1D", "P7D", "P30D", "P365D"].map((each) => <option key={each} value={each} />)}
      </datalist>
    </Field>
  );
}
