/** Numbers in the form of the chosen language. */
import { computed } from "@preact/signals";
import { language } from "../texts/mod.ts";

/** The browser's locale of the chosen language: `en` alone would select the formats of the United States. */
export const locale = computed(() =>
  navigator.languages.find((each) => each.slice(0, 2) === language.value) ?? language.value
);

/** To make a format takes longer than to use it a hundred times. */
const formats = new Map<string, Intl.NumberFormat>();

/** A number with that many decimals. */
export function decimalText(value: number, decimals: number): string {
  return formatFor(decimals, decimals).format(value);
}

/** A count, or another number with the decimals that it has, up to that many. */
export function countText(value: number, maxDecimals = 3): string {
  return formatFor(0, maxDecimals).format(value);
}

function formatFor(minimumFractionDigits: number, maximumFractionDigits: number): Intl.NumberFormat {
  const key = `${locale.value} ${minimumFractionDigits} ${maximumFractionDigits}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale.value, { minimumFractionDigits, maximumFractionDigits });
    formats.set(key, format);
  }
  return format;
}
