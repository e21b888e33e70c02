/** The values of a chart as text, for those who cannot see the chart or want the numbers. */
import { t } from "../../texts/mod.ts";

interface SeriesTableProps {
  readonly title: string;
  readonly places: readonly { readonly name: string; readonly text: string; readonly href?: string }[];
  readonly series: readonly {
    readonly name: string;
    readonly textAt: (place: string) => string | undefined;
  }[];
}

/** A table that a person can open; places without a value are left out. */
export function SeriesTable({ title, places, series }: SeriesTableProps) {
  const shown = places.filter(({ name }) => series.some(({ textAt }) => textAt(name) !== undefined));
  return (
    <details>
      <summary>{t("dashboard.asTable")}</summary>
      <table class="numbers">
        <thead>
          <tr>
            <th>{title}</th>
            {series.map(({ name }) => <th key={name} class="num">{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ name, text, href }) => (
            <tr key={name}>
              <td>{href === undefined ? text : <a href={href}>{text}</a>}</td>
              {series.map((each) => <td key={each.name} class="num">{each.textAt(name) ?? "–"}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
