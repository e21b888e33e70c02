/** Numbers in the regional form that the browser wants. */

const formats = new Map<number, Intl.NumberFormat>();

/** A number with that many decimals. */
export function decimalText(value: number, decimals: number): string {
  let format = formats.get(decimals);
  if (!format) {
    format = new Intl.NumberFormat(undefined, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
    formats.set(decimals, format);
  }
  return format.format(value);
}
