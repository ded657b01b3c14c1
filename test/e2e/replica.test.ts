import { afterAll, beforeAll, expect, test } from "bun:test";
import { createClient } from "@libsql/client";
import { until } from "../until.ts";
import { type Sqld, startSqld } from "./sqld.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { callApi, gatewayHeaders, queryIds, recordOf, startWeir, type Weir } from "./weir.ts";

let upstream: Upstream;
let primary: Sqld;
let replica: Sqld;
/** Writes and reads at the primary. */
let writer: Weir;
/** Reads from the replica. */
let reader: Weir;

beforeAll(async () => {
  [upstream, primary] = await Promise.all([startUpstream(), startSqld()]);
  writer = await startWeir({ env: { WEIR_DATABASE_URL: primary.url } });
  replica = await startSqld(primary);
  reader = await startWeir({ env: { WEIR_DATABASE_URL: primary.url, WEIR_DATABASE_READ_URL: replica.url } });
});
afterAll(async () => {
  replica?.thaw();
  await Promise.all([writer, reader].map((weir) => weir?.stop()));
  await replica?.[Symbol.asyncDispose]();
  await primary?.[Symbol.asyncDispose]();
  upstream?.close();
});

async function send(at: Weir): Promise<string> {
  const headers = { ...gatewayHeaders(upstream.origin), "Content-Type": "application/json" };
  const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] });
  const response = await fetch(`${at.gateway}/v1/chat/completions`, {
    method: "POST",
    body,
    headers,
    keepalive: false,
  });
  expect(response.status).toBe(200);
  return response.headers.get("gateway-id")!;
}

/** Sets a property through one node and reads it at once through the node with the replica. */
async function changedAndSeen(through: Weir, id: string, value: string): Promise<void> {
  const body = JSON.stringify({ Step: value });
  expect((await callApi(through, `/v1/request/${id}/property`, { method: "PUT", body })).status).toBe(200);
  expect((await queryIds(reader, [id]))[0]!["properties"]).toMatchObject({ Step: value });
}

/** A replica that lacks something waits for its primary. */
async function replicated(id: string): Promise<void> {
  const client = createClient({ url: replica.url });
  const found = async () =>
    (await client.execute({ sql: "select 1 from requests where request_id = ?", args: [id] })).rows.length > 0;
  await until(found, 180_000, () => `the replica does not have ${id}`);
  client.close();
}

test("the next query sees every change, whichever node made it, although it reads from a replica", async () => {
  const id = await send(writer);
  await recordOf(reader, id);
  for (let at = 0; at < 15; at++) await changedAndSeen(at % 2 === 0 ? writer : reader, id, String(at));
});

test("while the primary is away the replica serves what it has, and traffic continues", async () => {
  const id = await send(reader);
  await recordOf(reader, id);
  await replicated(id);
  await primary.kill();
  expect((await queryIds(reader, [id])).map(({ request_id }) => request_id)).toEqual([id]);
  const waiting = await send(reader);
  await primary.start();
  expect(await recordOf(reader, waiting)).toMatchObject({ response_status: 200 });
}, 300_000);

test("a replica that stands still is passed over, and one that is gone too", async () => {
  const id = await send(reader);
  await recordOf(reader, id);
  replica.freeze();
  await changedAndSeen(writer, id, "frozen");
  await changedAndSeen(reader, id, "still frozen");
  replica.thaw();
  await changedAndSeen(writer, id, "thawed");
  await replica.kill();
  await changedAndSeen(writer, id, "killed");
  await replica.start();
  await changedAndSeen(writer, id, "back");
}, 300_000);
