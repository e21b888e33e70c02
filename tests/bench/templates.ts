/** Templates that three engines render to the same text, each in its own dialect. */
import type { JsonObject } from "../../src/base/json.ts";

/** One template in the dialects. */
export interface TemplateSources {
  readonly ours: string;
  readonly liquidjs: string;
  readonly nunjucks: string;
}

/** What the templates read. */
export const TEMPLATE_DATA: JsonObject = {
  inputs: { name: "Ada Lovelace", order: 4711, city: "  London ", express: true, notes: "Ring twice" },
  execution: { id: "2n4XkWJwFzOgQv7gW5b3yT", state: "RUNNING" },
  flow: { id: "orders", namespace: "shop.checkout", revision: 7 },
  rows: Array.from({ length: 8 }, (_, index) => ({
    sku: `sku-${index}`,
    title: `Article number ${index}`,
    count: index + 1,
    isGift: index % 3 === 0,
  })),
};

/** Three variables and two filters. */
export const SHORT_TEMPLATE: TemplateSources = {
  ours:
    "Hello {{ inputs.name | upper }}, your order {{ inputs.order }} leaves {{ inputs.city | trim }} today",
  liquidjs:
    "Hello {{ inputs.name | upcase }}, your order {{ inputs.order }} leaves {{ inputs.city | strip }} today",
  nunjucks:
    "Hello {{ inputs.name | upper }}, your order {{ inputs.order }} leaves {{ inputs.city | trim }} today",
};

/** Some 2 KB of tags, loops, conditions, filters and text; `{dialect word}` differ between the engines. */
const LONG = `# Order {{ inputs.order }} of {{ inputs.name | UPPER }}
{# the head of the message, as the customer sees it #}
Dear {{ inputs.name }},
thank you for the order {{ inputs.order }}, which we received in {{ inputs.city | TRIM }} under the number {{ execution.id }}.
{% if inputs.express %}It leaves our warehouse today and reaches you tomorrow before noon.{% else %}It leaves our warehouse within three working days.{% endif %}

Articles:
{% for row in rows %}- {{ row.title | UPPER }} ({{ row.sku }}), {{ row.count }} piece(s){% if row.isGift %}, wrapped as a gift{% endif %}
{% endfor %}
{% if inputs.order > 5000 %}You are among the first customers of this season.
{% ELSEIF inputs.order > 4000 %}You are among the earlier customers of this season.
{% else %}You are one of our oldest customers.
{% endif %}
Notes for the driver: {{ inputs.notes | UPPER }} / {{ inputs.notes | LOWER }}
ASSIGN subject = flow.namespace %}
This message was written by the flow {{ flow.id }} of {{ subject }} in revision {{ flow.revision }}.
{% if flow.revision == 7 and execution.state == "RUNNING" %}The execution {{ execution.id }} is running.{% endif %}
{% if flow.revision > 10 or execution.state == "FAILED" %}The execution {{ execution.id }} needs attention.{% endif %}
Should anything be missing, answer to this message and name the order {{ inputs.order }}; the desk in {{ inputs.city | TRIM }} is open
from eight in the morning to six in the evening, on Saturdays until noon. Outside these hours a machine takes your call and
{% for row in rows %}{{ row.sku | UPPER }}{% if row.count > 4 %} ({{ row.count }}){% endif %} {% endfor %}
are looked after by whoever is on duty. All articles can be returned within thirty days, gifts within sixty; the address
is printed on the parcel, the postage is ours, and {{ inputs.name | TRIM | UPPER }} need not pay anything in advance.

Kind regards from {{ inputs.city | TRIM }}, {{ flow.namespace }}
`;

/** Some 2 KB of text, prints, loops and conditions. */
export const LONG_TEMPLATE: TemplateSources = {
  ours: dialect({ upper: "upper", lower: "lower", trim: "trim", elseif: "elseif", assign: "{% set" }),
  liquidjs: dialect({
    upper: "upcase",
    lower: "downcase",
    trim: "strip",
    elseif: "elsif",
    assign: "{% assign",
  })
    .replace(/\{#.*?#\}/g, "{% comment %}the head of the message, as the customer sees it{% endcomment %}"),
  nunjucks: dialect({ upper: "upper", lower: "lower", trim: "trim", elseif: "elif", assign: "{% set" }),
};

function dialect(words: Readonly<Record<"upper" | "lower" | "trim" | "elseif" | "assign", string>>): string {
  return LONG.replaceAll("| UPPER", `| ${words.upper}`).replaceAll("| LOWER", `| ${words.lower}`)
    .replaceAll("| TRIM", `| ${words.trim}`).replaceAll("ELSEIF", words.elseif).replaceAll(
      "ASSIGN",
      words.assign,
    );
}
