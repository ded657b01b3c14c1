import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { insertRecord, openApi, type TestApi } from "../api/open.ts";
import { commandLine } from "./terminal.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi();
});
afterAll(() => it[Symbol.asyncDispose]());

const run = (key: string, ...words: string[]) =>
  commandLine({ WEIR_API_URL: it.origin, WEIR_API_KEY: key }).run("organizations", "delete", ...words);

test("an organization is deleted by its name, given twice, with its records in a file first", async () => {
  for (let n = 0; n < 3; n++) await insertRecord(it.store, it.other, {});
  const unsure = await run(it.keys.all, "other");
  expect([unsure.status, unsure.err]).toEqual([2, expect.stringContaining('add --confirm "other"')]);
  const none = await run(it.keys.all, "nope");
  expect([none.status, none.err]).toEqual([1, expect.stringContaining('no organization "nope"')]);
  const misspelt = await run(it.keys.all, "othr", "--confirm", "othr");
  expect([misspelt.status, misspelt.err]).toEqual([1, expect.stringContaining('no organization "othr"')]);
  const foreign = await run(it.keys.other, "default", "--confirm", "default");
  expect(foreign.status).toBe(1);
  const { status, out, err } = await run(it.keys.all, "other", "--confirm", "other", "--export");
  expect([status, err]).toEqual([0, expect.stringContaining("3 records deleted, 0 left")]);
  expect(existsSync(out.trim())).toBe(true);
  expect((await it.call("GET", "/v1/me", { key: it.keys.other })).status).toBe(401);
});

test("it asks again at once while records go, and after a pause while what is left is in flight", async () => {
  const steps = [
    { removed: 5, remaining: 1, done: false },
    { removed: 0, remaining: 1, done: false },
    { removed: 1, remaining: 0, done: true },
  ];
  const prompts: number[] = [];
  const calls: number[] = [];
  using api = Bun.serve({
    port: 0,
    fetch(request) {
      if (request.method === "GET") return Response.json({ data: [{ id: "o-1", name: "other" }], error: null });
      calls.push(performance.now());
      const data = { ...steps[prompts.length], exported: null };
      prompts.push(performance.now());
      return Response.json({ data, error: null });
    },
  });
  const environment = { WEIR_API_URL: api.url.origin, WEIR_API_KEY: it.keys.all };
  const { status, err } = await commandLine(environment).run("organizations", "delete", "other", "--confirm", "other");
  expect([status, err]).toEqual([0, expect.stringContaining("6 records deleted, 0 left")]);
  expect(calls).toHaveLength(3);
  // A timer may be a moment early, and never much.
  expect(calls[2]! - prompts[1]!).toBeGreaterThan(900);
});
