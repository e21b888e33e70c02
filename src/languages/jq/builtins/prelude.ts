/** Functions written in jq: parameters and body, by `name/arity`. Names with `_` are private to this table. */

/** Parameters in order, and the body. */
type PreludeEntry = readonly [parameters: readonly string[], body: string];

const one = (body: string): PreludeEntry => [["f"], body];
const none = (body: string): PreludeEntry => [[], body];

/** Kinds of values by the function that selects them. */
const KINDS: readonly (readonly [string, string])[] = [
  ["values", ". != null"],
  ["nulls", ". == null"],
  ["booleans", 'type == "boolean"'],
  ["numbers", 'type == "number"'],
  ["strings", 'type == "string"'],
  ["arrays", 'type == "array"'],
  ["objects", 'type == "object"'],
  ["iterables", 'type | . == "array" or . == "object"'],
  ["scalars", 'type | . != "array" and . != "object"'],
  ["finites", "isinfinite or isnan | not"],
  ["normals", "isnormal"],
];

/** Functions by `name/arity`. */
export const PRELUDE: ReadonlyMap<string, PreludeEntry> = new Map<string, PreludeEntry>([
  ...KINDS.map(([name, test]) => [`${name}/0`, none(`select(${test})`)] as const),
  ["map/1", one("[.[] | f]")],
  ["map_values/1", one(".[] |= f")],
  ["with_entries/1", one("to_entries | map(f) | from_entries")],
  ["recurse/0", none("recurse(.[]?)")],
  ["recurse_down/0", none("recurse(.[]?)")],
  ["recurse/2", [["f", "condition"], "recurse(f | select(condition))"]],
  ["del/1", one("delpaths([path(f)])")],
  ["paths/0", none("path(..) | select(length > 0)")],
  ["paths/1", one(". as $whole | paths | select(. as $path | $whole | getpath($path) | f)")],
  ["leaf_paths/0", none("paths(scalars)")],
  ["pick/1", one(". as $whole | reduce path(f) as $path (null; setpath($path; $whole | getpath($path)))")],
  ["any/0", none("any(.[]; .)")],
  ["any/1", one("any(.[]; f)")],
  ["any/2", [["generator", "condition"], "isempty(generator | condition | select(.)) | not"]],
  ["all/0", none("all(.[]; .)")],
  ["all/1", one("all(.[]; f)")],
  ["all/2", [["generator", "condition"], "isempty(generator | condition | select(. | not))"]],
  ["in/1", one(". as $key | f | has($key)")],
  ["inside/1", one(". as $part | f | contains($part)")],
  ["isvalid/1", one("try (f | true) catch false")],
  ["first/0", none(".[0]")],
  ["last/0", none(".[-1]")],
  ["nth/1", one(".[f]")],
  ["nth/2", [
    ["n", "f"],
    `n as $n | if $n < 0 then error("nth doesn't support negative indices") else last(limit($n + 1; f)) end`,
  ]],
  [
    "combinations/0",
    none(
      "if length == 0 then [] else .[0][] as $head | (.[1:] | combinations) as $tail | [$head] + $tail end",
    ),
  ],
  ["combinations/1", one(". as $list | f as $n | [range($n) | $list] | combinations")],
  [
    "walk/1",
    one(
      'def visit: if type == "object" then map_values(visit) elif type == "array" then map(visit) else . end | f; visit',
    ),
  ],
  ["sort_by/1", one("_sort_by(map([f]))")],
  ["group_by/1", one("_group_by(map([f]))")],
  ["unique_by/1", one("_unique_by(map([f]))")],
  ["min_by/1", one("_min_by(map([f]))")],
  ["max_by/1", one("_max_by(map([f]))")],
  ["add/1", one("[f] | add")],
  ["INDEX/1", one("INDEX(.[]; f)")],
  ["INDEX/2", [["rows", "f"], "[rows | {key: (f | tostring), value: .}] | from_entries"]],
  ["IN/1", one("any(f == .; .)")],
  ["IN/2", [["source", "f"], "any(source == f; .)"]],
  ["ascii/0", none("[.] | implode")],
  ["match/1", one("_match(f; null)[]")],
  ["match/2", [["f", "flags"], "_match(f; flags)[]"]],
  ["test/1", one("_match(f; null) | length > 0")],
  ["test/2", [["f", "flags"], "_match(f; flags) | length > 0"]],
  ["capture/1", one("_match(f; null)[] | _captured")],
  ["capture/2", [["f", "flags"], "_match(f; flags)[] | _captured"]],
  ["scan/1", one("scan(f; null)")],
  ["scan/2", [
    ["f", "flags"],
    '_match(f; flags + "g")[] | if .captures == [] then .string else [.captures[].string] end',
  ]],
  ["split/2", [["f", "flags"], "_split(f; flags)"]],
  ["splits/1", one("_split(f; null)[]")],
  ["splits/2", [["f", "flags"], "_split(f; flags)[]"]],
  ["sub/2", [["f", "text"], "sub(f; text; null)"]],
  ["sub/3", [
    ["f", "text", "flags"],
    ". as $all | f as $f | flags as $flags | [_match($f; $flags)[] | [.offset, .length, [_captured | text]]] as $edits | $all | _edited($edits)[]",
  ]],
  ["gsub/2", [["f", "text"], 'sub(f; text; "g")']],
  ["gsub/3", [["f", "text", "flags"], 'sub(f; text; flags + "g")']],
  ["tostream/0", none("_stream[]")],
  [
    "fromstream/1",
    one(`{value: null, isDone: false} as $start
    | foreach f as $event ($start;
        if .isDone then $start else . end
        | ($event | length == 2) as $isLeaf
        | .isDone = ($event[0] | length == (if $isLeaf then 0 else 1 end))
        | if $isLeaf then setpath(["value"] + $event[0]; $event[1]) else . end;
        if .isDone then .value else empty end)`),
  ],
  [
    "truncate_stream/1",
    one(
      ". as $depth | null | f | if (.[0] | length) > $depth then setpath([0]; .[0][$depth:]) else empty end",
    ),
  ],
  ["todate/0", none('strftime("%Y-%m-%dT%H:%M:%SZ")')],
  ["todateiso8601/0", none('strftime("%Y-%m-%dT%H:%M:%SZ")')],
  ["date/0", none("todate")],
  ["fromdate/0", none("fromdateiso8601")],
  ["fromdateiso8601/0", none('strptime("%Y-%m-%dT%H:%M:%SZ") | mktime')],
  ["dateadd/2", [["unit", "n"], ". + n"]],
  ["datesub/2", [["unit", "n"], ". - n"]],
  ["env/0", none("{}")],
  ["input_filename/0", none("null")],
  ["input_line_number/0", none("0")],
]);
