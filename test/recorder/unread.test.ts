import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { readExchange } from "../../src/mapping/read-exchange.ts";
import { pass, rig } from "./harness.ts";

const LONG = "x".repeat(64 * 1024);
const bodyOf = (model: string) => JSON.stringify({ model, messages: [{ role: "user", content: LONG }] });
const SSE = ["Content-Type", "text/event-stream"];

/** Reads as the service does, and meets one model that it cannot read. */
const reader =
  (fault: () => never): typeof readExchange =>
  (input) =>
    input.requestBody?.model === "bad" ? fault() : readExchange(input);

const endless = (): never => {
  for (;;);
};
const broken = (): never => {
  throw new Error("no reader knows this");
};

test("an exchange that takes too long is stored as it arrived, and the others are read", async () => {
  await using there = await rig({ readExchange: reader(endless) });
  const before = pass(there.spool, { request: bodyOf("m-1") });
  const bad = pass(there.spool, {
    begin: { gateway: ["Gateway-Property-Team", "a", "Gateway-User-Id", "u"] },
    request: bodyOf("bad"),
    head: { status: 201, headers: SSE },
    response: 'data: {"a":1}\n\n',
  });
  const after = pass(there.spool, { request: bodyOf("m-1") });
  await there.recorder.barrier();
  expect(await there.row(bad)).toMatchObject({
    unread: "timeout: reading it took too much CPU time",
    response_status: 201,
    outcome: "complete",
    user_id: "u",
    properties: '{"Team":"a"}',
    request_model: null,
    cost: null,
    total_tokens: null,
    wire_schema: null,
  });
  expect((await there.body(bad, "request"))?.content.toString()).toBe(bodyOf("bad"));
  expect((await there.body(bad, "response"))?.content.toString()).toBe('data: {"a":1}\n\n');
  expect((await there.body(bad, "raw"))?.content.toString()).toBe('data: {"a":1}\n\n');
  for (const id of [before, after]) expect(await there.row(id)).toMatchObject({ unread: null, request_model: "m-1" });
  expect(await there.recorder.metrics()).toContain('weir_records_unread_total{reason="timeout"} 1');
});

test("a small exchange is cut off as well", async () => {
  await using there = await rig({ readExchange: reader(endless) });
  const bad = pass(there.spool, { request: '{"model":"bad"}' });
  await there.recorder.barrier();
  expect((await there.row(bad)).unread).toStartWith("timeout:");
});

test("an exchange whose reading fails says why", async () => {
  await using there = await rig({ readExchange: reader(broken) });
  const bad = pass(there.spool, { request: bodyOf("bad"), response: '{"answer":42}' });
  await there.recorder.barrier();
  expect(await there.row(bad)).toMatchObject({ unread: "failed: no reader knows this", response_status: 200 });
  expect((await there.body(bad, "response"))?.content.toString()).toBe('{"answer":42}');
  expect(await there.recorder.metrics()).toContain('weir_records_unread_total{reason="failed"} 1');
});

test("bodies that cannot be read are stored without their content coding, and omitted ones not at all", async () => {
  await using there = await rig({ readExchange: reader(endless) });
  const bad = pass(there.spool, {
    begin: { omitResponse: true, headers: ["Content-Encoding", "gzip"] },
    request: gzipSync(bodyOf("bad")),
    response: "secret",
  });
  await there.recorder.barrier();
  expect((await there.row(bad)).unread).toStartWith("timeout:");
  expect((await there.body(bad, "request"))?.content.toString()).toBe(bodyOf("bad"));
  expect(await there.body(bad, "response")).toBeUndefined();
  expect(await there.body(bad, "raw")).toBeUndefined();
});

test("plugins see bodies that cannot be read as text, and what they take out stays out", async () => {
  const seen: unknown[] = [];
  await using there = await rig({
    readExchange: reader(endless),
    hooks: {
      has: (name) => name === "onRecord",
      onRecord: async (draft) => {
        seen.push(draft.request_body);
        draft.request_body = "taken out";
        return true;
      },
      onRecorded: () => undefined,
    },
  });
  const bad = pass(there.spool, { request: bodyOf("bad") });
  await there.recorder.barrier();
  expect(seen).toEqual([bodyOf("bad")]);
  expect((await there.body(bad, "request"))?.content.toString()).toBe("taken out");
});
