import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Storable } from "../../src/engine/storable.ts";
import { SYSTEM } from "../../src/people/actor.ts";
import { shareOf, WebhookRules } from "../../src/recorder/webhook-rules.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openStore } from "../../src/store/store.ts";
import { putWebhook } from "../../src/store/webhooks/webhooks.ts";
import { assertProperty } from "../chance.ts";
import { ownDirectory } from "../store/open.ts";

const RULE = {
  url: "http://a.test/",
  name: "",
  sample_rate: 100,
  fields: [],
  include_body: false,
  enabled: true,
  events: ["request.finished"],
};

/** A finished record; names in `erased` reached us without their case. */
function record(
  id: string,
  properties: Record<string, string>,
  erased: readonly string[] = [],
  more: object = {},
): Storable {
  const row = { request_id: id, organization_id: "o", properties: JSON.stringify(properties), ...more };
  const labels = { properties, erasedProperties: new Set(erased), promptInputs: {}, erasedInputs: new Set() };
  return { row, labels, parts: [], texts: { prompt: null, completion: null }, assets: [] } as unknown as Storable;
}

const subjects = (rules: WebhookRules, records: readonly Storable[]) =>
  rules.deliveriesOf(records, 1).map(({ args }) => args[5]);

test.each([
  ["a property of that value", [{ name: "Team", value: "a" }], { Team: "a" }, [], true],
  ["another value", [{ name: "Team", value: "a" }], { Team: "b" }, [], false],
  ["another case of the value", [{ name: "Team", value: "a" }], { Team: "A" }, [], false],
  ["any value", [{ name: "Team" }], { Team: "" }, [], true],
  ["no such property", [{ name: "Team" }], { App: "x" }, [], false],
  ["another case of the name", [{ name: "Team" }], { team: "a" }, [], false],
  ["a name that lost its case", [{ name: "Team" }], { team: "a" }, ["team"], true],
  ["all of several", [{ name: "A" }, { name: "B" }], { A: "1", B: "2" }, [], true],
  ["one of several", [{ name: "A" }, { name: "B" }], { A: "1" }, [], false],
  ["a name of every object", [{ name: "constructor" }], {}, [], false],
  ["no filter", [], {}, [], true],
] as const)("a webhook's filter of %s", async (_name, filters, properties, erased, expected) => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  await putWebhook(store.records, { organizationId: "o", by: SYSTEM }, { ...RULE, property_filters: [...filters] });
  await putWebhook(store.records, { organizationId: "another", by: SYSTEM }, { ...RULE, property_filters: [] });
  const rules = new WebhookRules();
  await rules.load(store.records);
  expect(subjects(rules, [record("r", properties, erased)])).toEqual(expected ? ["r"] : []);
  expect(subjects(rules, [record("r", properties, erased, { attempt_of: "x" })])).toEqual([]);
  await store.close();
});

test("a disabled webhook is not notified", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  await putWebhook(
    store.records,
    { organizationId: "o", by: SYSTEM },
    { ...RULE, property_filters: [], enabled: false },
  );
  const rules = new WebhookRules();
  await rules.load(store.records);
  expect(subjects(rules, [record("r", {})])).toEqual([]);
  await store.close();
});

test("reading a record twice gives one delivery", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  await putWebhook(store.records, { organizationId: "o", by: SYSTEM }, { ...RULE, property_filters: [] });
  const rules = new WebhookRules();
  await rules.load(store.records);
  for (let time = 0; time < 2; time++) await store.records.batch(rules.deliveriesOf([record("r", {})], time));
  expect(await store.records.query({ sql: "select subject_id from deliveries", args: [] })).toEqual([
    { subject_id: "r" },
  ]);
  await store.close();
});

test("the share of a request id is the same every time, and shares spread evenly", () => {
  assertProperty(
    fc.property(fc.uuid(), (id) => {
      expect(shareOf(id)).toBe(shareOf(id));
      expect(shareOf(id)).toBeGreaterThanOrEqual(0);
      expect(shareOf(id)).toBeLessThan(100);
    }),
  );
  const below = Array.from({ length: 10_000 }, (_, at) => shareOf(`id ${at}`)).filter((share) => share < 30).length;
  expect(Math.abs(below - 3_000)).toBeLessThan(200);
});
