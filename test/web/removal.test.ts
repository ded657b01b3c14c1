import { expect, test } from "bun:test";
import { type RetentionRules, removedBy } from "../../src/web/pages/storage/removal.ts";

const rules = (changes: Partial<RetentionRules> = {}): RetentionRules => ({
  days: null,
  body_days: 30,
  properties: [],
  ...changes,
});
const team = (days: number | null, body_days: number | null = null, value: string | null = null) => ({
  properties: [{ property: "Team", value, days, body_days }],
});
/** Records are configured to be kept 90 days, bodies for good. */
const configured = { days: 90, body_days: 0 };

test.each<[string, Partial<RetentionRules>, Partial<RetentionRules>, readonly string[]]>([
  ["the same", {}, {}, []],
  ["more days", {}, { days: 91, body_days: 31 }, []],
  ["for good", {}, { days: 0, body_days: null }, []],
  ["fewer days of records", {}, { days: 1 }, ["Records older than 1 day; kept 90 days until now"]],
  ["fewer days of bodies", {}, { body_days: 29 }, ["Bodies of records older than 29 days; kept 30 days until now"]],
  ["an end to what was for good", { days: 0 }, {}, ["Records older than 90 days; kept forever until now"]],
  ["a rule that keeps longer", {}, team(365), []],
  ["a rule that keeps shorter", {}, team(7), ["Records with Team older than 7 days; kept 90 days until now"]],
  [
    "a rule taken away that kept longer",
    team(365),
    {},
    ["Records with Team older than 90 days; kept 365 days until now"],
  ],
  ["a rule taken away that kept shorter", team(7), {}, []],
  [
    "a stricter rule of one value",
    team(365, 0, "red"),
    team(365, 60, "red"),
    ["Bodies of records with Team red older than 60 days; kept forever until now"],
  ],
])("what is removed is reported for %s", (_name, before, next, lines) => {
  expect(removedBy({ ...rules(before), configured }, rules(next))).toEqual([...lines]);
});
