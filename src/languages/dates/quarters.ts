/** Names of quarters by language: the platform has none. */

interface QuarterNames {
  readonly short: (quarter: number) => string;
  readonly long: (quarter: number) => string;
}

function letter(prefix: string): QuarterNames["short"] {
  return (quarter) => prefix + quarter;
}

function listed(...names: string[]): QuarterNames["long"] {
  return (quarter) => names[quarter - 1] ?? "";
}

const ENGLISH: QuarterNames = {
  short: letter("Q"),
  long: listed("1st quarter", "2nd quarter", "3rd quarter", "4th quarter"),
};

const NAMES: ReadonlyMap<string, QuarterNames> = new Map([
  ["de", { short: letter("Q"), long: (quarter) => `${quarter}. Quartal` }],
  ["es", {
    short: letter("T"),
    long: listed("1.er trimestre", "2.º trimestre", "3.er trimestre", "4.º trimestre"),
  }],
  ["fr", {
    short: letter("T"),
    long: listed("1er trimestre", "2e trimestre", "3e trimestre", "4e trimestre"),
  }],
  ["it", { short: letter("T"), long: (quarter) => `${quarter}º trimestre` }],
  ["ja", { short: letter("Q"), long: (quarter) => `第${quarter}四半期` }],
  ["nl", { short: letter("K"), long: (quarter) => `${quarter}e kwartaal` }],
  ["pt", { short: letter("T"), long: (quarter) => `${quarter}º trimestre` }],
]);

/** The name of a quarter, from 1; in English where the language is not listed. */
export function quarterName(quarter: number, width: "short" | "long", locale: string): string {
  const language = locale.split(/[-_]/)[0]?.toLowerCase() ?? "";
  return (NAMES.get(language) ?? ENGLISH)[width](quarter);
}
