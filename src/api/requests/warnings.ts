import type { Aggregates } from "../../engine/aggregates.ts";
import type { RecordSource } from "../../engine/record-source.ts";
import { boundsOf } from "../../filter/bounds.ts";
import type { DecodedFilter } from "../../filter/decode.ts";
import { propertyName } from "../../filter/property-names.ts";
import { conditionsOf, type FilterTree } from "../../filter/tree.ts";
import type { Deadline } from "../../store/database/deadline.ts";

/** Names that are looked up, at most; a hint need not be complete. */
const NAMES_MAX = 10;

/** The probable cause of an empty response, for the header `gateway-warning`; empty if everything looks well. */
export async function queryWarnings(
  source: RecordSource,
  organizationId: string,
  { tree, unwrapped }: DecodedFilter,
  deadline: Deadline,
): Promise<Readonly<Record<string, string>>> {
  const warnings: string[] = [];
  if (unwrapped) {
    warnings.push(
      'a property filter matches nothing here unless it is wrapped: {"request_response_rmt":{"properties":{"<name>":{"equals":"<value>"}}}}',
    );
  }
  const names = new Set<string>();
  for (const { source: field, name, value } of conditionsOf(tree)) {
    if (names.size === NAMES_MAX) break;
    if (field.from === "properties" && field.kind === 0 && field.names === "exact") names.add(name ?? "");
    if (field.from === "property_key" && typeof value === "string") names.add(value);
  }
  for (const name of names) {
    const spelling = await otherSpelling(source, organizationId, name, deadline);
    if (spelling !== undefined) {
      warnings.push(
        `no record has the property ${readable(name)}; names are case-sensitive, and there is ${readable(spelling)}`,
      );
    }
  }
  return warnings.length === 0 ? {} : { "gateway-warning": warnings.join("; ") };
}

/** The warnings of a query, and why metrics may be slow now. */
export async function whySlow(
  aggregates: Aggregates,
  tree: FilterTree,
  warnings: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const slow = await aggregates.saysSlow(boundsOf(tree).least);
  if (slow === undefined) return warnings;
  return { "gateway-warning": [warnings["gateway-warning"], slow].filter(Boolean).join("; ") };
}

/** A stored name that differs from `name` only in case, if no record has `name` itself. */
async function otherSpelling(
  source: RecordSource,
  organizationId: string,
  name: string,
  deadline: Deadline,
): Promise<string | undefined> {
  const { exact, erased } = propertyName(name);
  if (await source.hasPropertyName(organizationId, { exact, erased }, deadline)) return undefined;
  const known = await source.propertyNames(organizationId, deadline);
  return known.find((stored) => stored !== name && stored.toLowerCase() === name.toLowerCase());
}

/** Header values are ASCII: other characters are escaped as in JSON. */
function readable(name: string): string {
  const short = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  return JSON.stringify(short).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
