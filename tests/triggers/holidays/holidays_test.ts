import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { COUNTRIES } from "../../../src/triggers/holidays/countries.ts";
import { isHoliday } from "../../../src/triggers/holidays/holidays.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";

/** All public holidays of a year, by country and part. */
const YEARS: readonly (readonly [year: number, country: string, subDivision: string, days: string])[] = [
  [
    2026,
    "AT",
    "",
    "01-01 01-06 04-06 05-01 05-14 05-25 06-04 08-15 10-26 11-01 12-08 12-25 12-26",
  ],
  [2026, "BE", "", "01-01 04-06 05-01 05-14 05-25 07-21 08-15 11-01 11-11 12-25"],
  [2026, "DE", "", "01-01 04-03 04-06 05-01 05-14 05-25 10-03 12-25 12-26"],
  [2026, "DE", "BW", "01-01 01-06 04-03 04-06 05-01 05-14 05-25 06-04 10-03 11-01 12-25 12-26"],
  [2026, "DE", "BY", "01-01 01-06 04-03 04-06 05-01 05-14 05-25 06-04 10-03 11-01 12-25 12-26"],
  [2026, "DE", "BE", "01-01 03-08 04-03 04-06 05-01 05-14 05-25 10-03 12-25 12-26"],
  [2026, "DE", "BB", "01-01 04-03 04-05 04-06 05-01 05-14 05-24 05-25 10-03 10-31 12-25 12-26"],
  [2026, "DE", "HB", "01-01 04-03 04-06 05-01 05-14 05-25 10-03 10-31 12-25 12-26"],
  [2026, "DE", "HH", "01-01 04-03 04-06 05-01 05-14 05-25 10-03 10-31 12-25 12-26"],
  [2026, "DE", "HE", "01-01 04-03 04-06 05-01 05-14 05-25 06-04 10-03 12-25 12-26"],
  [2026, "DE", "MV", "01-01 03-08 04-03 04-06 05-01 05-14 05-25 10-03 10-31 12-25 12-26"],
  [2026, "DE", "NI", "01-01 04-03 04-06 05-01 05-14 05-25 10-03 10-31 12-25 12-26"],
  [2026, "DE", "NW", "01-01 04-03 04-06 05-01 05-14 05-25 06-04 10-03 11-01 12-25 12-26"],
  [2026, "DE", "RP", "01-01 04-03 04-06 05-01 05-14 05-25 06-04 10-03 11-01 12-25 12-26"],
  [2026, "DE", "SL", "01-01 04-03 04-06 05-01 05-14 05-25 06-04 08-15 10-03 11-01 12-25 12-26"],
  [2026, "DE", "SN", "01-01 04-03 04-06 05-01 05-14 05-25 10-03 10-31 11-18 12-25 12-26"],
  [2023, "DE", "SN", "01-01 04-07 04-10 05-01 05-18 05-29 10-03 10-31 11-22 12-25 12-26"],
  [2022, "DE", "SN", "01-01 04-15 04-18 05-01 05-26 06-06 10-03 10-31 11-16 12-25 12-26"],
  [2026, "DE", "ST", "01-01 01-06 04-03 04-06 05-01 05-14 05-25 10-03 10-31 12-25 12-26"],
  [2026, "DE", "SH", "01-01 04-03 04-06 05-01 05-14 05-25 10-03 10-31 12-25 12-26"],
  [2026, "DE", "TH", "01-01 04-03 04-06 05-01 05-14 05-25 09-20 10-03 10-31 12-25 12-26"],
  [2026, "ES", "", "01-01 01-06 04-03 05-01 08-15 10-12 11-01 12-06 12-08 12-25"],
  [2026, "FR", "", "01-01 04-06 05-01 05-08 05-14 05-25 07-14 08-15 11-01 11-11 12-25"],
  [2026, "GB", "", "01-01 04-03 05-04 05-25 12-25 12-26"],
  [2026, "GB", "ENG", "01-01 04-03 04-06 05-04 05-25 08-31 12-25 12-26"],
  [2026, "GB", "WLS", "01-01 04-03 04-06 05-04 05-25 08-31 12-25 12-26"],
  [2026, "GB", "NIR", "01-01 03-17 04-03 04-06 05-04 05-25 07-12 08-31 12-25 12-26"],
  [2026, "GB", "SCT", "01-01 01-02 04-03 05-04 05-25 08-03 11-30 12-25 12-26"],
  [2026, "GR", "", "01-01 01-06 02-23 03-25 04-10 04-13 05-01 06-01 08-15 10-28 12-25 12-26"],
  [2025, "GR", "", "01-01 01-06 03-03 03-25 04-18 04-21 05-01 06-09 08-15 10-28 12-25 12-26"],
  [2026, "IE", "", "01-01 02-02 03-17 04-06 05-04 06-01 08-03 10-26 12-25 12-26"],
  [2030, "IE", "", "01-01 02-01 03-17 04-22 05-06 06-03 08-05 10-28 12-25 12-26"],
  [2022, "IE", "", "01-01 03-17 04-18 05-02 06-06 08-01 10-31 12-25 12-26"],
  [2026, "IT", "", "01-01 01-06 04-06 04-25 05-01 06-02 08-15 10-04 11-01 12-08 12-25 12-26"],
  [2025, "IT", "", "01-01 01-06 04-21 04-25 05-01 06-02 08-15 11-01 12-08 12-25 12-26"],
  [2026, "LU", "", "01-01 04-06 05-01 05-09 05-14 05-25 06-23 08-15 11-01 12-25 12-26"],
  [
    2026,
    "PT",
    "",
    "01-01 04-03 04-05 04-25 05-01 06-04 06-10 08-15 10-05 11-01 12-01 12-08 12-25",
  ],
  [2026, "US", "", "01-01 01-19 02-16 05-25 06-19 07-04 09-07 10-12 11-11 11-26 12-25"],
  // Codes are compared without regard to case.
  [2024, "fr", "", "01-01 04-01 05-01 05-08 05-09 05-20 07-14 08-15 11-01 11-11 12-25"],
  [2026, "de", "sh", "01-01 04-03 04-06 05-01 05-14 05-25 10-03 10-31 12-25 12-26"],
];

for (const [year, country, subDivision, expected] of YEARS) {
  Deno.test(`isHoliday() of ${country} ${subDivision} in ${year}`, () => {
    const days: string[] = [];
    for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += 86_400_000) {
      const [, month = "", day = ""] = new Date(at).toISOString().slice(0, 10).split("-");
      const date = { year, month: Number(month), day: Number(day) };
      if (isHoliday(date, { country, subDivision })) days.push(`${month}-${day}`);
    }
    assertEquals(days.join(" "), expected);
  });
}

Deno.test("COUNTRIES has a row of days above for each country and part", () => {
  for (const [country, { parts = new Map() }] of COUNTRIES) {
    for (const part of ["", ...parts.keys()]) {
      assert(YEARS.some(([, code, subDivision]) => code === country && subDivision === part), country + part);
    }
  }
});

Deno.test("COUNTRIES names the source of each country and the date of its check", () => {
  for (const { source, checkedOn } of COUNTRIES.values()) {
    assert(source.length > 10);
    assertMatch(checkedOn, /^\d{4}-\d{2}-\d{2}$/);
  }
});

const KNOWN = "AT, BE, DE, ES, FR, GB, GR, IE, IT, LU, PT, US";

/** Members of the condition, and the problem of a flow that has it. */
const PLACES: readonly (readonly [members: string, problems: readonly string[]])[] = [
  ["country: FR", []],
  ["country: us", []],
  ["country: DE, subDivision: by", []],
  ["country: XX", [`wrong_value country: Unknown country "XX": public holidays are known of ${KNOWN}`]],
  ["country: ''", [`wrong_value country: Unknown country "": public holidays are known of ${KNOWN}`]],
  ["country: constructor", [
    `wrong_value country: Unknown country "constructor": public holidays are known of ${KNOWN}`,
  ]],
  ["country: FR, subDivision: BY", [
    'wrong_value subDivision: Unknown part "BY" of country "FR": known are none',
  ]],
  ["country: GB, subDivision: LND", [
    'wrong_value subDivision: Unknown part "LND" of country "GB": known are ENG, WLS, NIR, SCT',
  ]],
  ["country: '{{ vars.country }}'", []],
  ["country: '{{ vars.country }}', subDivision: XX", []],
  ["country: DE, subDivision: '{{ vars.part }}'", []],
  ["country: XX, subDivision: '{{ vars.part }}'", [
    `wrong_value country: Unknown country "XX": public holidays are known of ${KNOWN}`,
  ]],
  ["date: '2026-07-04'", []],
  ["subDivision: BY", ['wrong_value subDivision: Unknown part "BY" of country "US": known are none']],
  ["country: [FR]", ["wrong_type country: must be a text, but received a list"]],
];

for (const [members, problems] of PLACES) {
  Deno.test(`validateFlow() of a PublicHoliday with ${members}`, () => {
    const source = `id: f
namespace: n
tasks: [{id: t, type: io.kestra.plugin.core.log.Log, message: m}]
triggers:
- id: s
  type: io.kestra.plugin.core.trigger.Schedule
  cron: "@daily"
  conditions: [{type: io.kestra.plugin.core.condition.PublicHoliday, ${members}}]
`;
    const catalogs = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };
    const found = validateFlow(parseFlowSource(source), catalogs);
    assertEquals(
      found.map(({ code, path, message }) =>
        `${code} ${path.replace("triggers[0].conditions[0].", "")}: ${message}`
      ),
      problems,
    );
  });
}

for (const [country, subDivision] of [["XX", ""], ["", ""], ["FR", "BY"], ["constructor", ""]] as const) {
  Deno.test(`isHoliday() of country "${country}" and part "${subDivision}" throws`, () => {
    assertThrows(
      () => isHoliday({ year: 2026, month: 1, day: 1 }, { country, subDivision }),
      Error,
      "Unknown",
    );
  });
}
