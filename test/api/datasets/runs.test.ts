import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { openApi, type TestApi } from "../open.ts";

let api: TestApi;
let path: string;
beforeAll(async () => {
  api = await openApi();
  path = await dataset(3);
});
afterAll(() => api[Symbol.asyncDispose]());

const TARGET = { model: "openai/gpt-4o-mini" };

/** A dataset of as many written examples. @returns the address of its runs. */
async function dataset(items: number): Promise<string> {
  const { json } = await api.call("POST", "/v1/datasets", { body: { name: randomUUID() } });
  const examples = Array.from({ length: items }, (_, at) => ({
    input: { messages: [{ role: "user", content: "x".repeat(400) }] },
    output: { role: "assistant", content: "y".repeat(40) },
    labels: at === 0 ? ["first"] : [],
  }));
  if (items > 0) await api.call("POST", `/v1/datasets/${json.data.id}/items`, { body: { items: examples } });
  return `/v1/datasets/${json.data.id}/runs`;
}

const estimate = async (body: object): Promise<Json[]> => {
  const { json } = await api.call("POST", `${path}/estimate`, { body });
  expect(json.error).toBe(null);
  return json.data;
};

/** The gateway would ask this model first. */
function routed(provider: string, model: string, skipped: string | null = null): void {
  const target = { provider, model, skipped } as (typeof api.explanation.targets)[number];
  api.explanation = { resolved_by: "test", targets: [target] };
}

test("an estimate multiplies tokens by the current price, and notes what it guesses", async () => {
  routed("OPENAI", "gpt-4o-mini");
  await api.call("PUT", "/v1/models/prices", {
    body: { provider: "OPENAI", model: "gpt-4o-mini", input: 10, output: 100 },
  });
  const [all] = await estimate({ targets: [TARGET] });
  expect(all).toMatchObject({
    provider: "OPENAI",
    model: "gpt-4o-mini",
    calls: 3,
    price_source: expect.stringContaining("own"),
  });
  expect(all.notes).toEqual([expect.stringContaining("3 of 3 items have no recorded tokens")]);
  expect(all.cost).toBeCloseTo((all.prompt_tokens * 10 + all.completion_tokens * 100) / 1e6, 9);
  const [first] = await estimate({ targets: [{ ...TARGET, parameters: { max_tokens: 5 } }], label: "first" });
  expect(first).toMatchObject({ calls: 1, completion_tokens: 5 });
  expect(api.sent.question).toMatchObject({ model: TARGET.model, shape: "chat-completions" });
});

test("an estimate has no cost if the price is unknown or no provider can be called", async () => {
  routed("SOMEBODY", "unheard of");
  const [unknown] = await estimate({ targets: [TARGET] });
  expect(unknown).toMatchObject({
    cost: null,
    price_source: null,
    notes: expect.arrayContaining(["the price is not known"]),
  });
  routed("OPENAI", "gpt-4o-mini", "its limit is spent");
  const [refused] = await estimate({ targets: [TARGET] });
  expect(refused).toMatchObject({ provider: null, cost: null, notes: ["its limit is spent"] });
});

test.each<[string, object, string | null, string]>([
  ["no target", { targets: [] }, "targets", ""],
  ["nine targets", { targets: Array.from({ length: 9 }, (_, at) => ({ model: `m${at}` })) }, "targets", ""],
  ["two targets of one name", { targets: [TARGET, TARGET] }, "targets.1.name", "another target has this name"],
  ["an empty model", { targets: [{ model: "" }] }, "targets.0.model", ""],
  ["a name of two lines", { targets: [{ ...TARGET, name: "a\nb" }] }, "targets.0.name", ""],
  [
    "parameters that are the run's",
    { targets: [{ ...TARGET, parameters: { stream: true } }] },
    "targets.0.parameters.stream",
    "sets it itself",
  ],
  ["a member that there is not", { targets: [{ ...TARGET, sytem: "x" }] }, "targets.0.sytem", ""],
  ["no money", { targets: [TARGET], max_cost: 0 }, "max_cost", ""],
  ["too many calls at a time", { targets: [TARGET], concurrency: 17 }, "concurrency", ""],
  ["a blank text for calls at a time", { targets: [TARGET], concurrency: " " }, "concurrency", "whole number"],
  ["a version that there is not", { targets: [TARGET], version: 9 }, "version", "the newest is 1"],
  ["a label of no item", { targets: [TARGET], label: "second" }, null, 'to send: no item has the label "second"'],
])("a run is refused for %s", async (_name, body, at, says) => {
  const { status, json } = await api.call("POST", path, { body });
  expect({ status, path: json.path }).toEqual({ status: 400, path: at });
  expect(json.message).toContain(says);
});

test("a run needs the permissions to send requests and to read bodies", async () => {
  const statuses = async (key: string) => {
    const calls = [
      ["GET", path],
      ["POST", `${path}/estimate`, { targets: [TARGET] }],
      ["POST", path, { targets: [] }],
      ["GET", `${path}/${randomUUID()}`],
    ] as const;
    const responses = [];
    for (const [method, at, body] of calls)
      responses.push((await api.call(method, at, { key, ...(body && { body }) })).status);
    return responses;
  };
  expect(await statuses(api.keys.read)).toEqual([200, 200, 403, 404]);
  expect(await statuses(api.keys.gateway)).toEqual([403, 403, 400, 403]);
  expect(await statuses(api.keys.other)).toEqual([404, 404, 400, 404]);
  const onlySends = await api.call("POST", path, { key: api.keys.gateway, body: { targets: [TARGET] } });
  expect(onlySends.json).toMatchObject({ error: 403, message: expect.stringContaining("bodies") });
});
