import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../src/plugin-host/contract.ts";
import { idOf, insert } from "../filter/world.ts";
import { call, connectedTo, type Result } from "./mcp-client.ts";
import { openApi, type TestApi } from "./open.ts";

const NOW = Date.now();
let it: TestApi;

beforeAll(async () => {
  it = await openApi();
  await insert(
    it.store,
    Array.from({ length: 30 }, (_, n) => ({
      columns: {
        request_id: idOf(n),
        organization_id: it.organization,
        request_created_at: NOW - n * 60_000,
        provider: "OPENAI",
        model: n % 2 === 0 ? "m-even" : "m-odd",
        response_status: n % 10 === 0 ? 500 : 200,
        session_id: `s-${n % 5}`,
      },
      properties: [
        { name: "Team", value: `team ${n % 3}` },
        { name: "Stage", value: "prod" },
      ],
      inputs: [],
      requestBody: "{}",
      responseBody: "{}",
    })),
  );
});
afterAll(() => it[Symbol.asyncDispose]());

test("every list that is cut has the offset of its rest", async () => {
  const make = async (name: string): Promise<string> =>
    (await it.call("POST", "/v1/datasets", { body: { name } })).json.data.id;
  const made = [await make("d-1"), await make("d-2"), await make("d-3")];
  await using client = await connectedTo(it.origin, it.keys.read);
  const lists: [tool: string, input: object, member: string][] = [
    ["list_sessions", { limit: 2 }, "sessions"],
    ["list_properties", { limit: 1 }, "properties"],
    ["list_properties", { name: "Team", limit: 1 }, "values"],
    ["metrics", { group_by: ["status", "model"], limit: 1 }, "rows"],
    ["list_models", {}, "models"],
    ["list_datasets", {}, "datasets"],
  ];
  for (const [tool, input, member] of lists) {
    const whole = (await call(client, tool, { ...input, ...("limit" in input && { limit: 200 }) })).value;
    expect([tool, whole.next_offset]).toEqual([tool, null]);
    const rows: Json[] = [];
    let offset: number | null = 0;
    while (offset !== null) {
      const { value }: Result = await call(client, tool, { ...input, offset });
      rows.push(...value[member]);
      offset = value.next_offset;
    }
    expect(rows).toEqual(whole[member]);
  }
  const third = (await call(client, "list_datasets", { offset: 2 })).value;
  expect(third.datasets.map(({ id }: { id: string }) => id)).toEqual(made.slice(2));
  for (const id of made) await it.call("DELETE", `/v1/datasets/${id}`);
});

test("a list of long rows ends where they no longer fit, and continues there", async () => {
  await using client = await connectedTo(it.origin, it.keys.other);
  const values = Array.from({ length: 30 }, (_, n) => `${n} ${"long ".repeat(600)}`);
  await insert(
    it.store,
    values.map((value, n) => ({
      columns: { request_id: idOf(500 + n), organization_id: it.other, request_created_at: NOW - 9e9 },
      properties: [{ name: "Long", value }],
      inputs: [],
      requestBody: "{}",
      responseBody: "{}",
    })),
  );
  const found: string[] = [];
  let offset: number | null = 0;
  let pages = 0;
  for (; offset !== null; pages++) {
    const { value }: Result = await call(client, "list_properties", { name: "Long", offset });
    found.push(...value.values);
    offset = value.next_offset;
  }
  expect(found.sort()).toEqual(values.sort());
  expect(pages).toBe(2);
});
