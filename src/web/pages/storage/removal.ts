import { formatCount } from "../../parts/format.ts";
import type { PropertyRule, RetentionView } from "./shapes.ts";

/** How long each kind of data is kept, by the organization's own rules. */
export type RetentionRules = Omit<RetentionView, "configured">;

export const daysText = (days: number) => (days === 0 ? "forever" : days === 1 ? "1 day" : `${formatCount(days)} days`);

/** What will be removed when `next` replaces the rules in `view`, one line each. */
export function removedBy(view: RetentionView, next: RetentionRules): readonly string[] {
  const { configured } = view;
  const rules = new Map(
    [...view.properties, ...next.properties].map((rule) => [JSON.stringify([rule.property, rule.value]), rule]),
  );
  return (["days", "body_days"] as const).flatMap((kind) => {
    const what = kind === "days" ? "Records" : "Bodies of records";
    const usual = (rules: RetentionRules) => rules[kind] ?? configured[kind];
    const lines = [shorter(what, usual(view), usual(next))];
    for (const rule of rules.values()) {
      const ofRule = (all: RetentionRules) => ruleOf(all, rule)?.[kind] ?? undefined;
      // If neither has a rule of its own, the general rule applies to both.
      if (ofRule(view) === undefined && ofRule(next) === undefined) continue;
      lines.push(shorter(`${what} with ${nameOf(rule)}`, ofRule(view) ?? usual(view), ofRule(next) ?? usual(next)));
    }
    return lines.filter((line) => line !== undefined);
  });
}

const shorter = (what: string, before: number, after: number): string | undefined =>
  after !== 0 && (before === 0 || after < before)
    ? `${what} older than ${daysText(after)}; kept ${daysText(before)} until now`
    : undefined;

const nameOf = ({ property, value }: PropertyRule) => (value === null ? property : `${property} ${value}`);

const ruleOf = ({ properties }: RetentionRules, { property, value }: PropertyRule) =>
  properties.find((each) => each.property === property && each.value === value);
