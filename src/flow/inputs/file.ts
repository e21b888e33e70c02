/** FILE: the URI of a stored file. Uploads are stored before the conversion. */
import type { JsonValue } from "../../base/json.ts";
import { elementsOf } from "../schema/describe.ts";
import { inputIdOf } from "./form.ts";
import { expected, type InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";
import { isUri } from "./string.ts";

/** `extension` is read when an upload is stored. */
export const fileInput: InputType = {
  names: ["FILE"],
  properties: {
    extension: { type: "string", default: ".upl", description: "End of the stored file's name." },
    allowedFileExtensions: { type: "list", description: "Ends that the file's name may have." },
  },
  convert(value, properties) {
    if (!isFileUri(value)) {
      return expected("FILE", shownValue(value), "it is neither an uploaded file nor the URI of one");
    }
    const allowed = elementsOf(properties, "allowedFileExtensions").map((item) => String(item).toLowerCase());
    if (allowed.length === 0 || allowed.some((extension) => value.toLowerCase().endsWith(extension))) {
      return { value };
    }
    return { reason: `the name of the file must end in one of \`[${allowed.join(", ")}]\`` };
  },
  refusesDefault(value, properties) {
    if (isFileUri(value)) return undefined;
    return `${inputIdOf(properties)}: no \`defaults\` can be set for inputs of type 'FILE' except a URI`;
  },
};

function isFileUri(value: JsonValue): value is string {
  return typeof value === "string" && isUri(value);
}
