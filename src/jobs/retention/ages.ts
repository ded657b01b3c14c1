import type { StoredProperty } from "../../engine/aged-records.ts";
import { propertyName } from "../../filter/property-names.ts";
import type { PropertyRetention, RetentionRule } from "../../store/retention/retention.ts";

const DAY_MS = 86_400_000;

/** Days in force, and what properties say instead; 0 is for good. */
export interface Ages extends RetentionRule {
  readonly days: number;
  readonly body_days: number;
}

/** The creation time of the newest record that may be removed now; undefined if all are kept forever. */
export function youngest(ages: Ages, now: number): number | undefined {
  const all = [ages, ...ages.properties].flatMap(({ days, body_days }) => [days, body_days]);
  const limited = all.filter((days) => days !== null && days > 0);
  return limited.length === 0 ? undefined : now - Math.min(...(limited as number[])) * DAY_MS;
}

/** Whether a record, or only its bodies, is older than allowed. */
export function isTooOld(
  ages: Ages,
  createdAt: number,
  properties: readonly StoredProperty[],
  now: number,
): "record" | "bodies" | undefined {
  const rules = ages.properties.filter((rule) => properties.some((property) => isOf(rule, property)));
  const isOver = (which: "days" | "body_days") => {
    const days = longest(rules, which) ?? ages[which];
    return days > 0 && createdAt < now - days * DAY_MS;
  };
  return isOver("days") ? "record" : isOver("body_days") ? "bodies" : undefined;
}

/** If several rules match a record, the one that keeps it longest counts. */
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
