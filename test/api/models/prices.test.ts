import { expect, test } from "bun:test";
import { ORDER, readOrder, STATE, writeOrder } from "../../../src/store/models/recompute-order.ts";
import { insertInto, insertRecord, openApi } from "../open.ts";

test("every model that was seen is shown with what it costs now, and by whose word", async () => {
  await using api = await openApi({ prices: [{ provider: "custom", model: "mine-*", input: 1, output: 2 }] });
  const { store, organization, other } = api;
  const seen = (organizationId: string, provider: string, model: string) =>
    insertInto("models", { organization_id: organizationId, provider, model, state: "mapped", count: 1, since: 0 });
  await store.records.batch([
    seen(organization, "OPENAI", "gpt-4o"),
    seen(organization, "CUSTOM", "mine-7"),
    seen(organization, "CUSTOM", "yours"),
    seen(organization, "OPENAI", "gpt-4o-2099-unheard-of"),
    seen(organization, "ACME", "ruled"),
    seen(other, "OPENAI", "theirs"),
  ]);
  await insertRecord(store, organization, { model: "gpt-4o-2099-unheard-of", request_model: "gpt-4o-mini" });
  const file = { name: "ACME", file: "acme.ts", source: "drop-in", state: "loaded", reason: null } as const;
  const provider = { ...file, aliases: [], hosts: [], target: null, dedicatedDomain: null, extends: null };
  api.providers = [{ ...provider, credential: null, hasCostRule: true }];
  await api.call("PUT", "/v1/models/prices", { body: { provider: "OPENAI", model: "gpt-4o", input: 9 } });
  const { json } = await api.call("GET", "/v1/models/prices/in-force", { key: api.keys.read });
  const byName = json.data.toSorted((a: { model: string }, b: { model: string }) => (a.model < b.model ? -1 : 1));
  expect(byName).toMatchObject([
    { model: "gpt-4o", source: "own price: OPENAI gpt-4o", input: 9 },
    { model: "gpt-4o-2099-unheard-of", input: 0.15, output: 0.6 },
    { model: "mine-7", source: "configured price: CUSTOM mine-*", input: 1, output: 2 },
    { model: "ruled", source: "plugin ACME" },
    { model: "yours", source: null },
  ]);
  expect(byName[4]).toEqual({ provider: "CUSTOM", model: "yours", source: null });
});

test.each([
  ["a star that is not at its end", { model: "*sonnet*", input: 1 }, "model"],
  ["no price", { model: "m" }, null],
  ["a price below nothing", { model: "m", cache_write_1h: -1 }, "cache_write_1h"],
  ["an unknown member", { model: "m", inputs: 1 }, "inputs"],
])("a price with %s is refused", async (_name, price, path) => {
  await using api = await openApi();
  const { status, json } = await api.call("PUT", "/v1/models/prices", { body: { provider: "OPENAI", ...price } });
  expect([status, json.path]).toEqual([400, path]);
  expect((await api.call("GET", "/v1/models/prices")).json.data).toEqual([]);
});

test("recorded costs are recomputed on order, whose progress can be read", async () => {
  await using api = await openApi();
  await api.stopJobs();
  const path = "/v1/models/prices/recompute";
  expect((await api.call("POST", path, { body: { since: "soon" } })).json).toMatchObject({ error: 400, path: "since" });
  const body = { since: "2026-01-31", model: "gpt-4o", dry_run: true };
  expect((await api.call("POST", path, { body, key: api.keys.read })).status).toBe(403);
  const { id } = (await api.call("POST", path, { body })).json.data;
  const order = { id, since: Date.UTC(2026, 0, 31), model: "gpt-4o", dryRun: true };
  expect(await readOrder<object>(api.store.records, ORDER)).toEqual(order);
  expect((await api.call("GET", `${path}/${id}`)).json.data).toMatchObject({ id, done: false, total: 0 });
  await writeOrder(api.store.records, STATE, { id, done: true, seen: 4, changed: 1, before: 2, after: 3, total: 4 });
  expect((await api.call("GET", `${path}/${id}`)).json.data).toMatchObject({ done: true, changed: 1, after: 3 });
});
