import { afterAll, beforeAll, expect, test } from "bun:test";
import { LibsqlSink } from "../../../src/engine/libsql/sink.ts";
import { findResponse } from "../../../src/engine/libsql/write/find-response.ts";
import { removeRecords } from "../../../src/engine/libsql/write/remove.ts";
import type { CallMemory } from "../../../src/mapping/translate/call-memory.ts";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { callStatesOf, keepCalls } from "../../../src/store/earlier-responses/call-states.ts";
import { type EarlierResponses, turnsBefore } from "../../../src/store/earlier-responses/turns-before.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { maintain } from "../../../src/store/retention/maintain.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { insertRecord } from "../../api/open.ts";
import { ownDirectory } from "../open.ts";

const directory = ownDirectory();
let store: Store;
let earlier: EarlierResponses;

beforeAll(async () => {
  store = await openStore(directory.config, "write");
  await migrate(store);
  const sink = new LibsqlSink({ store, config: directory.config, ofProviders: async () => ({}) });
  earlier = { records: sink, content: store.content };
});
afterAll(async () => {
  await store.close();
  directory[Symbol.dispose]();
});

const MANY = 1_000_000_000;

interface Recorded {
  readonly organization?: string;
  readonly request?: Json;
  readonly output?: readonly Json[];
  readonly columns?: object;
}

/** A recorded response with this id; what it says is "said <id>". */
async function record(id: string, { organization = "o", request, output, columns }: Recorded = {}): Promise<string> {
  const items = output ?? [
    {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: `said ${id}` }],
    },
  ];
  const form = "json";
  return insertRecord(
    store,
    organization,
    { response_id: id, response_status: 200, credential: "c", wire_schema: "responses", routed_model: "m", ...columns },
    {
      request: { form, content: JSON.stringify({ model: "m", input: `asked ${id}`, ...request }) },
      response: { form, content: JSON.stringify({ id, object: "response", output: items }) },
    },
  );
}

const inputItem = (id: string) => ({ type: "message", role: "user", content: `asked ${id}` });
const said = (id: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: `said ${id}` }],
});

async function turns(id: string, organization = "o", bytesMax = MANY): Promise<Json> {
  const text = await turnsBefore(earlier, organization, id, bytesMax);
  return text === undefined ? undefined : JSON.parse(text);
}

test("a response is found by the provider's id, of the request that made it, by its organization alone", async () => {
  const made = await record("resp_made", { columns: { provider: "OPENAI", request_model: "fast" } });
  await record("resp_made", { columns: { method: "GET", credential: "other" } });
  expect(await findResponse(store.records, "o", "resp_made")).toEqual({
    requestId: made,
    provider: "OPENAI",
    model: "m",
    requestModel: "fast",
    credential: "c",
    isProviders: true,
  });
  await record("resp_made", { columns: { method: "DELETE", response_status: 404 } });
  expect(await findResponse(store.records, "o", "resp_made")).toMatchObject({ requestId: made });
  expect(await findResponse(store.records, "p", "resp_made")).toBeUndefined();
  await record("resp_made", { columns: { method: "DELETE" } });
  expect(await findResponse(store.records, "o", "resp_made")).toBeUndefined();
  expect(await findResponse(store.records, "o", "resp_other")).toBeUndefined();
});

test("a response of ours is found by the request in its id, whatever a provider calls its own", async () => {
  const id = `resp_${"ab".repeat(16)}`;
  const request = "abababab-abab-abab-abab-abababababab";
  await record(id, { columns: { request_id: request, ai_gateway_body_mapping: "RESPONSES" } });
  expect(await findResponse(store.records, "o", id)).toMatchObject({ requestId: request, isProviders: false });
  const theirs = `resp_${"cd".repeat(16)}`;
  const made = await record(theirs);
  expect(await findResponse(store.records, "o", theirs)).toMatchObject({ requestId: made, isProviders: true });
});

test("a provider's id is looked up in its index", async () => {
  const [plan] = await store.records.query<{ detail: string }>({
    sql: `explain query plan select request_id from requests where organization_id = ? and response_id = ?
      and credential is not null and response_id is not null and wire_schema = 'responses' order by seq limit 1`,
    args: ["o", "x"],
  });
  expect(plan!.detail).toContain("requests_responses");
});

test("turns are those of every response before, the first one first, without ids and instructions", async () => {
  await record("a", { request: { instructions: "be brief" } });
  await record("b", {
    request: { previous_response_id: "a", input: [{ role: "user", content: [{ type: "input_text", text: "b" }] }] },
    output: [
      { id: "rs_1", type: "reasoning", summary: [], status: null },
      { id: "rs_2", type: "reasoning", summary: [], encrypted_content: "e" },
      { id: "rs_3", type: "reasoning", summary: [], encrypted_content: "weir1.anthropic.e" },
      { id: "fc_1", type: "function_call", call_id: "call_1", name: "f", arguments: "{}", status: "completed" },
    ],
  });
  await record("c", { request: { previous_response_id: "b" } });
  expect(await turns("c")).toEqual([
    inputItem("a"),
    said("a"),
    { role: "user", content: [{ type: "input_text", text: "b" }] },
    { type: "reasoning", summary: [], encrypted_content: "weir1.anthropic.e" },
    { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
    inputItem("c"),
    said("c"),
  ]);
  expect(await turns("c", "p")).toBeUndefined();
});

test("100 responses are followed, and no more", async () => {
  for (let at = 1; at <= 101; at++)
    await record(`long_${at}`, { request: at === 1 ? {} : { previous_response_id: `long_${at - 1}` } });
  expect(await turns("long_100")).toHaveLength(200);
  expect(await turns("long_101")).toBeUndefined();
});

test("responses that are incomplete, were not to be stored, or failed are no turns", async () => {
  await record("cut", { columns: { truncated: 1 } });
  await record("unstored", { request: { store: false } });
  await record("failed", { columns: { response_status: 500 } });
  await record("after", { request: { previous_response_id: "unstored" } });
  const omitted = await record("omitted");
  const sql = "delete from bodies where request_id = ? and part = 'response'";
  await store.bodies.batch([{ sql, args: [omitted] }]);
  for (const id of ["cut", "unstored", "failed", "after", "omitted", "missing"])
    expect(await turns(id)).toBeUndefined();
  await record("large");
  expect(await turns("large", "o", 100)).toBeUndefined();
  expect(await turns("large", "o", 1_000)).toHaveLength(2);
});

test("a turn whose files an older version stored separately is not whole", async () => {
  const input = [{ role: "user", content: [{ type: "input_image", image_url: `weir-asset:${"ef".repeat(32)}` }] }];
  await record("drawn", { request: { input } });
  expect(await turns("drawn")).toBeUndefined();
});

test("state of calls is kept for a day, per organization, and goes with its record's bodies", async () => {
  const state: CallMemory = { state: { issuer: "google", kind: "signature", value: "s" } };
  const now = 1_000 * 86_400_000;
  const of = (organization: string, at = now) => callStatesOf(store.records, organization, ["one", "two", "gone"], at);
  const [one, two] = [await record("call-1"), await record("call-2")];
  const keep = (callId: string, requestId: string, createdAt = now) =>
    store.records.batch(keepCalls([{ organizationId: "o", callId, requestId, state, createdAt }], now));
  await keep("gone", one, now - 2 * 86_400_000);
  await keep("one", one);
  await keep("two", two);
  expect(await of("o")).toEqual({ one: state, two: state });
  expect(await of("p")).toEqual({});
  expect(await of("o", now + 86_400_001)).toEqual({});
  await removeRecords(store, "o", [one]);
  expect(await of("o")).toEqual({ two: state });
  await maintain(store, { kind: "bodies", organizationId: "o", requestIds: [two] });
  expect(await of("o")).toEqual({});
});
