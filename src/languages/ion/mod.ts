/**
 * Amazon Ion text: KV values, ION inputs, items of files, values of loops, and the expressions `fromIon` and `toIon`.
 * No library: `ion-js` 5.2 gives its own classes of decimals, integers and timestamps instead of JSON values with number
 * kinds, overflows the stack on 300,000 opening brackets, and does not read the words without quotes that clients send.
 */
export { IonError } from "./error.ts";
export { parseIon, parseIonRows, parseIonText, parseIonTexts } from "./reader.ts";
export type { IonKind, IonValue } from "./word.ts";
export { ionText } from "./writer.ts";
