/** URI and EMAIL: texts of a given form. */
import { expected, type InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";

const URI = /^[a-zA-Z][a-zA-Z0-9+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=\-\u00a1-\uffff]|%[0-9a-fA-F]{2})+$/;
const EMAIL = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/;

/** Of a scheme whose URIs name a host, but without one. */
const WITHOUT_HOST = /^(?:https?|wss?|ftps?|sftp):(?!\/\/[^/?#])/i;

/** True for an absolute URI; one of a scheme of the network has a host. */
export function isUri(text: string): boolean {
  return URI.test(text) && !WITHOUT_HOST.test(text);
}

/** An absolute URI. */
export const uriInput: InputType = {
  names: ["URI"],
  properties: {},
  convert(value) {
    if (typeof value === "string" && isUri(value)) return { value };
    return expected("URI", shownValue(value), "it is not an absolute URI");
  },
};

/** An address; an empty text stands for none. */
export const emailInput: InputType = {
  names: ["EMAIL"],
  takesEmptyText: true,
  properties: {},
  convert(value) {
    if (typeof value === "string" && (value === "" || EMAIL.test(value))) return { value };
    return { reason: "The input must be a valid email" };
  },
};
