import { afterAll, beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { at, json, KEY, standIn, startUnified } from "../house.ts";

// On the same shape the record has the client's body once, with what was changed in it for the provider.

const CAP_BYTES = 2_000;
let provider: ReturnType<typeof standIn>;
let gateway: Awaited<ReturnType<typeof startUnified>>;
beforeAll(async () => {
  provider = standIn(() => json({ choices: [] }));
  const credentials = [at("GROQ", provider.origin)];
  gateway = await startUnified({ credentials, config: { max_recorded_body_bytes: CAP_BYTES } });
});
afterAll(async () => {
  await gateway.close();
  await provider[Symbol.asyncDispose]();
});

async function recordOf(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json", ...headers },
    body,
  });
  expect(response.status).toBe(200);
  const record = await gateway.spool.ended(response.headers.get("gateway-id")!);
  return { ...record, got: provider.received.at(-1)!.text };
}

const CHAT = '{"model":"groq/m-1","messages":[{"role":"user","content":"✓"}]}';

test("the model's name alone is recorded, as an edit of the client's body", async () => {
  const { requestBody, provider: side, got } = await recordOf(CHAT);
  expect(requestBody.toString()).toBe(CHAT);
  expect(got).toBe(CHAT.replace("groq/", ""));
  expect(side.requestHead).toMatchObject({
    hasBody: false,
    edited: { of: Buffer.byteLength(CHAT), edits: [{ from: 9, to: 19, text: '"m-1"' }] },
  });
  expect(side.request!.toString()).toBe(got);
});

test("members that a target removes and adds are recorded in the same way", async () => {
  const body = '{"models":["groq/m-2"],"model":"groq/m-1","messages":[],"fallbacks":["groq/m-3"] }';
  const { provider: side, got } = await recordOf(body);
  expect(side.requestHead?.hasBody).toBe(false);
  expect(got).toMatch(/^\{"model":"m-\d","messages":\[\]\}$/);
  expect(side.request!.toString()).toBe(got);
});

test.each([
  ["came compressed", gzipSync(CHAT), { "Content-Encoding": "gzip" }],
  ["is over the limit of the record", CHAT.replace("✓", "✓".repeat(CAP_BYTES)), {}],
  ["has the model in too many places", `{${'"model":"groq/m-1",'.repeat(20)}"messages":[]}`, {}],
])("a body that %s is recorded whole on the provider's side", async (_what, body, headers) => {
  const { provider: side, got } = await recordOf(body, headers as Record<string, string>);
  expect(side.requestHead).toMatchObject({ hasBody: true });
  expect(side.requestHead!.edited).toBeUndefined();
  expect(side.request!.toString()).toBe(Buffer.from(got).subarray(0, CAP_BYTES).toString());
});

test("a body that is to be omitted leaves no edit of it", async () => {
  const { provider: side } = await recordOf(CHAT, { "Gateway-Omit-Request": "true" });
  expect(side.requestHead).toMatchObject({ hasBody: false });
  expect(side.requestHead!.edited).toBeUndefined();
});

test("in what is written of an exchange the headers are the last member, where they are read without being parsed", async () => {
  const { begin, head } = await recordOf(CHAT);
  expect([begin, head].map((meta) => Object.keys(meta ?? {}).at(-1))).toEqual(["headers", "headers"]);
  expect(Object.keys(head ?? {})).toContain("sent");
});
