import { type FieldKind, GROUPS, isField } from "../../filter/fields.ts";
import { OPERATORS } from "../../filter/operators.ts";
import { SORT_KEYS } from "../../filter/sort.ts";
import { code, prose, table } from "./html.ts";

const VALUES: Readonly<Record<FieldKind, string>> = {
  text: "text, or null for a missing value",
  number: "a number, or null for a missing value",
  timestamp: "ISO 8601, or null for a missing value",
  boolean: "true or false, or null for a missing value",
  contains: "text",
  key: "a property's name",
};

/** The grammar of filters and sorting, from the tables that their parsers use. */
export function filterSection(): string {
  const kinds = Object.entries(OPERATORS).map(([kind, operators]) => [
    kind,
    Object.keys(operators).map(code).join(" "),
    VALUES[kind as FieldKind],
  ]);
  const fields = Object.entries(GROUPS).map(([group, members]) => [
    code(group),
    isField(members)
      ? `${code("<name>")} ${members.kind}`
      : Object.entries(members)
          .map(([name, { kind, named }]) => `${code(named === true ? `${name}.<name>` : name)} ${kind}`)
          .join(", "),
  ]);
  return `<h2 id="filters">Filters and sorting</h2>
<p>${prose('A filter is `"all"`, a leaf `{"<group>": {"<field>": {"<operator>": value}}}`, or a branch `{"left": filter, "operator": "and" | "or", "right": filter}` of any depth. Where a field holds names, the name stands between field and operator.')}</p>
<pre tabindex="0">{"left": {"request_response_rmt": {"model": {"equals": "gpt-4o"}}},
 "operator": "and",
 "right": {"request_response_rmt": {"properties": {"Team": {"equals": "night"}}}}}</pre>
${table(["Kind", "Operators", "Value"], kinds)}
${table(["Group", "Fields and their kinds"], fields)}
<p>${prose("`/v1/request/query-fast` takes the group `request_response_rmt` alone.")}
${prose('`sort` is an object of keys with `"asc"` or `"desc"`; default: newest first. Keys:')} ${SORT_KEYS.map(code).join(" ")}</p>`;
}
