/** Sizes as people read them. */
import { decimalText } from "./numbers.ts";

/** Bytes with a unit: `850 B`, `1.5 KB`, `120 MB`; 1 KB is 1,024 bytes. */
export function sizeText(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${decimalText(value, power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`;
}
