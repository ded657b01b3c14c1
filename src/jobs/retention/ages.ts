import type { StoredProperty } from "../../engine/aged-records.ts";
import { propertyName } from "../../filter/property-names.ts";
import type { PropertyRetention, RetentionRule } from "../../store/retention/retention.ts";

export const DAY_MS = 86_400_000;

/** Days to keep data, and the exceptions by property; 0 means for ever. */
export interface Ages extends RetentionRule {
  readonly days: number;
  readonly body_days: number;
}

/** The times against which ages are computed. They differ if records are removed by complete days. */
export interface Now {
  readonly records: number;
  readonly bodies: number;
}

/** The creation time of the newest record that may be removed now; undefined if all are kept forever. */
export function youngest(ages: Ages, now: Now): number | undefined {
  const since = (days: number | null, from: number) => (days !== null && days > 0 ? from - days * DAY_MS : []);
  const times = [ages, ...ages.properties].flatMap(({ days, body_days }) =>
    [since(days, now.records), since(body_days, now.bodies)].flat(),
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * Whether all records created before a time are too old, except those that a property keeps.
 *
 * @returns the rules of these properties; undefined if the records are not too old.
 */
export function keptOf(ages: Ages, before: number, now: number): readonly PropertyRetention[] | undefined {
  const isOver = (days: number) => days > 0 && before <= now - days * DAY_MS;
  return isOver(ages.days) ? ages.properties.filter(({ days }) => days !== null && !isOver(days)) : undefined;
}

/** Whether a record, or only its bodies, is older than allowed. */
export function isTooOld(
  ages: Ages,
  createdAt: number,
  properties: readonly StoredProperty[],
  now: Now,
): "record" | "bodies" | undefined {
  const rules = ages.properties.filter((rule) => properties.some((property) => isOf(rule, property)));
  const isOver = (which: "days" | "body_days", from: number) => {
    const days = longest(rules, which) ?? ages[which];
    return days > 0 && createdAt < from - days * DAY_MS;
  };
  return isOver("days", now.records) ? "record" : isOver("body_days", now.bodies) ? "bodies" : undefined;
}

/** If several rules match a record, the longest one applies. */
function longest(rules: readonly PropertyRetention[], which: "days" | "body_days"): number | undefined {
  const said = rules.map((rule) => rule[which]).filter((days) => days !== null);
  if (said.length === 0) return undefined;
  return said.includes(0) ? 0 : Math.max(...said);
}

function isOf(rule: PropertyRetention, { name, value, case_erased }: StoredProperty): boolean {
  const { exact, erased } = propertyName(rule.property);
  const isNamed = name === exact || (case_erased === 1 && name === erased);
  return isNamed && (rule.value === null || rule.value === value);
}
