import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { RequestHooks } from "../../src/gateway/request-hooks.ts";
import type { GatewayRequest, RequestChange } from "../../src/plugin-host/contract.ts";
import { OK, startProvider } from "../raw-http.ts";
import { KEY, startTestGateway, type TestGateway } from "./harness.ts";

type Provider = Awaited<ReturnType<typeof startProvider>>;

let change: (request: GatewayRequest) => RequestChange | undefined;
let got: { readonly head: string; readonly body: string }[];
let provider: Provider;
let gateway: TestGateway;

const hooks: RequestHooks = {
  has: () => true,
  needs: () => ["body"],
  onRequest(request) {
    const send = change(request);
    return send && { send };
  },
  onForward: () => undefined,
  onEnd: () => undefined,
};

beforeAll(async () => {
  provider = await startProvider(({ head, body, socket }) => {
    got.push({ head, body: body.toString() });
    socket.write(head.startsWith("POST /broken") ? "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n" : OK);
  });
  gateway = await startTestGateway({ hooks });
});
afterAll(async () => {
  await gateway?.close();
  await provider?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  change = () => undefined;
  got = [];
});

async function send(body: BodyInit, headers: Readonly<Record<string, string>> = {}, path = "/v1/chat/completions") {
  const response = await fetch(gateway.origin + path, {
    method: "POST",
    body,
    headers: {
      "Gateway-Auth": `Bearer ${KEY}`,
      "Gateway-Target-Url": provider.origin,
      "Content-Type": "application/json",
      ...headers,
    },
  });
  const text = await response.text();
  const record = await gateway.spool.ended(response.headers.get("gateway-id")!);
  return { status: response.status, text, headers: response.headers, record };
}

const CHAT = '{ "model":"m-1",  "n": 1.0, "messages":[{"role":"user","content":"secret"}] }';
const masked = [{ role: "user", content: "***" }];

test.each([
  ["of a small body", CHAT, {}],
  ["of a large body", CHAT.replace('"secret"', JSON.stringify(`secret${"x".repeat(200_000)}`)), {}],
  ["of a body in chunks", new Blob([CHAT]).stream(), {}],
  ["of a compressed body, which is then sent plain", gzipSync(CHAT), { "Content-Encoding": "gzip" }],
])(
  "a plugin changes a member %s: the others stay as they are, and the record has both",
  async (_name, body, headers) => {
    change = () => ({ body: { messages: masked, n: null, seed: 7 } });
    const { record, status } = await send(body, headers);
    const sent = `{"model":"m-1","messages":${JSON.stringify(masked)},"seed":7}`;
    expect([status, got[0]?.body.includes(sent), got[0]?.body.includes("secret")]).toEqual([200, true, false]);
    expect(record.provider.request?.toString()).toBe(sent);
    const client = typeof body === "string" ? body : body instanceof ReadableStream ? CHAT : gzipSync(CHAT).toString();
    expect(record.requestBody.toString()).toBe(client);
    expect(got[0]?.head).not.toMatch(/content-encoding/i);
  },
);

test("a plugin sets and removes headers, and headers with a credential are not recorded", async () => {
  change = () => ({ headers: { Authorization: "Bearer of-the-gateway", "X-Client": null, "X-Team": "grün" } });
  const { record } = await send(CHAT, { Authorization: "Bearer of-the-client", "X-Client": "yes" });
  expect(got[0]?.head).toContain("Authorization: Bearer of-the-gateway\r\n");
  expect(got[0]?.head).not.toMatch(/of-the-client|x-client/i);
  expect(got[0]?.body).toBe(CHAT);
  const { headers = [] } = record.provider.requestHead!;
  expect(headers[headers.indexOf("Authorization") + 1]).toBe("***");
  expect(Buffer.from(headers[headers.indexOf("X-Team") + 1]!, "latin1").toString()).toBe("grün");
  expect([record.provider.requestHead?.hasBody, record.requestBody.toString()]).toEqual([false, CHAT]);
});

test("nothing is recorded besides the client's request if nothing is changed", async () => {
  expect((await send(CHAT)).record.provider).toEqual({});
});

test.each(["no JSON", "[1]", ""])("a body %p has no members to change: the request fails closed", async (body) => {
  change = () => ({ body: { a: 1 } });
  const { status, text } = await send(body);
  // Without a body there is nothing to read, and nothing that a plugin may have meant.
  expect([status, got.length]).toEqual([500, 0]);
  expect(text).toContain("not a JSON object");
});

test("the cache key is computed from the sent request", async () => {
  change = () => ({ body: { messages: masked } });
  const cached = { "Gateway-Cache-Enabled": "true", "Gateway-Cache-Seed": crypto.randomUUID() };
  await send(CHAT, cached);
  const { headers, record } = await send(CHAT.replace("secret", "another secret"), cached);
  expect([headers.get("gateway-cache"), got.length]).toEqual(["HIT", 1]);
  expect(record.requestBody.toString()).toContain("another secret");
});

test("each attempt records what it sent, and plugins see a fallback with its own model", async () => {
  const seen: (string | undefined)[] = [];
  change = ({ model, body }) => {
    seen.push(`${model} ${body?.model}`);
    return { headers: { "X-Model": String(body?.model) } };
  };
  const fallbacks = JSON.stringify([{ target: provider.origin, path: "/v1/other", body: { model: "m-2" } }]);
  const { record } = await send(CHAT, { "Gateway-Fallbacks": fallbacks }, "/broken");
  expect(seen).toEqual(["undefined m-1", "undefined m-2"]);
  expect(got.map(({ head }) => /x-model: (\S+)/i.exec(head)?.[1])).toEqual(["m-1", "m-2"]);
  expect(record.requestBody.toString()).toBe(CHAT);
  expect(JSON.parse(record.provider.request!.toString())).toMatchObject({ model: "m-2" });
  const failed = [...gateway.spool.exchanges.values()].find(({ begin }) => begin.attemptOf === record.id);
  expect(failed?.requestBody.toString()).toBe(CHAT);
  expect([failed?.provider.requestHead?.hasBody, failed?.provider.request?.toString()]).toEqual([false, ""]);
});

test("a fallback's own members are recorded next to the client's body, without any plugin", async () => {
  const fallbacks = JSON.stringify([{ target: provider.origin, path: "/v1/other", body: { model: "m-2" } }]);
  const { record } = await send(CHAT, { "Gateway-Fallbacks": fallbacks }, "/broken");
  expect(JSON.parse(record.provider.request!.toString())).toMatchObject({ model: "m-2" });
  expect(record.requestBody.toString()).toBe(CHAT);
});
