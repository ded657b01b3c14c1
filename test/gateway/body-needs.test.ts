import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { RequestHooks } from "../../src/gateway/request-hooks.ts";
import type { BodyNeed, GatewayRequest } from "../../src/plugin-host/contract.ts";
import { OK, startProvider } from "../raw-http.ts";
import { gatewayHeaders, startTestGateway, type TestGateway } from "./harness.ts";

type Provider = Awaited<ReturnType<typeof startProvider>>;
type Verdict = ReturnType<RequestHooks["onRequest"]>;

/** What the plugins of these tests need, and what they say. */
let needs: readonly BodyNeed[];
let onRequest: (request: GatewayRequest) => Verdict;
let got: Buffer[];
let provider: Provider;
let gateway: TestGateway;

beforeAll(async () => {
  provider = await startProvider(({ body, socket }) => {
    got.push(body);
    socket.write(OK);
  });
  gateway = await startTestGateway({
    hooks: {
      has: () => true,
      needs: () => needs,
      onRequest: (request) => onRequest(request),
      onForward: () => undefined,
      onEnd: () => undefined,
    },
  });
});
afterAll(async () => {
  await gateway?.close();
  await provider?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  needs = [];
  onRequest = () => undefined;
  got = [];
});

const headersOf = (more: Readonly<Record<string, string>>) => ({
  "Gateway-Auth": /Bearer \S+/.exec(gatewayHeaders(""))![0],
  "Gateway-Target-Url": provider.origin,
  ...more,
});

/** The request as a plugin saw it, and what came of it. */
async function send(body: BodyInit, headers: Readonly<Record<string, string>> = {}, path = "/v1/chat/completions") {
  let seen: Pick<GatewayRequest, "userId" | "model" | "body"> | undefined;
  const verdict = onRequest;
  onRequest = (request) => {
    seen = { userId: request.userId, model: request.model, body: request.body };
    return verdict(request);
  };
  const response = await fetch(gateway.origin + path, { method: "POST", body, headers: headersOf(headers) });
  const text = await response.text();
  return { seen, status: response.status, text, id: response.headers.get("gateway-id")! };
}

const JSON_TYPE = { "Content-Type": "application/json" };
const chat = { model: "m-1", user: "ann", messages: [{ role: "user", content: "hi" }] };
const large = { ...chat, messages: [{ role: "user", content: "x".repeat(300_000) }] };
const form = (...fields: [string, string | Blob][]) => {
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value as Blob);
  return data;
};

describe("a plugin that needs the model sees it", () => {
  test.each<[string, BodyInit, Record<string, string>, string, string | undefined]>([
    ["of a JSON body", JSON.stringify(chat), JSON_TYPE, "/v1/chat/completions", "m-1"],
    ["of a large JSON body", JSON.stringify(large), JSON_TYPE, "/v1/chat/completions", "m-1"],
    ["of the last of two members", '{"model":"a","model":"b"}', JSON_TYPE, "/v1/chat/completions", "b"],
    ["of a compressed body", gzipSync(JSON.stringify(chat)), { "Content-Encoding": "gzip" }, "/v1/messages", "m-1"],
    [
      "of a form",
      form(["file", new Blob(["RIFF"])], ["model", "whisper-1"]),
      {},
      "/v1/audio/transcriptions",
      "whisper-1",
    ],
    [
      "of a form, and not of a file in it",
      form(
        ["file", new Blob(['\r\n\r\nContent-Disposition: form-data; name="model"\r\n\r\nfake\r\n'])],
        ["model", "w-2"],
      ),
      {},
      "/v1/audio/transcriptions",
      "w-2",
    ],
    ["not of a form that names two", form(["model", "a"], ["model", "b"]), {}, "/v1/audio/transcriptions", undefined],
    ["of the path, which counts before the body", "{}", JSON_TYPE, "/v1beta/models/g-1:generateContent", "g-1"],
    ["of a WebSocket's address", "{}", JSON_TYPE, "/v1/realtime?intent=x&model=rt-1", "rt-1"],
    ["not of a query", JSON.stringify(chat), JSON_TYPE, "/v1/chat/completions?x=/models/other", "m-1"],
    ["not of a body that is no JSON", "model=m-1", JSON_TYPE, "/v1/chat/completions", undefined],
    ["not of a model that is no text", '{"model":7}', JSON_TYPE, "/v1/chat/completions", undefined],
    ["not of a damaged coding", "xyz", { "Content-Encoding": "gzip" }, "/v1/chat/completions", undefined],
  ])("%s", async (_name, body, headers, path, model) => {
    needs = ["model"];
    const { seen, status } = await send(body, headers, path);
    expect([status, seen?.model]).toEqual([200, model]);
    expect(seen?.body).toBeUndefined();
  });
});

test.each([
  ["small", chat],
  ["large", large],
])("a plugin that needs a %s body gets it parsed, and the provider gets it as it was sent", async (_name, value) => {
  needs = ["body"];
  const text = ` ${JSON.stringify(value, undefined, 2)}\n`;
  const { seen, id } = await send(text, JSON_TYPE);
  expect(seen?.body).toEqual(value);
  expect(got.map(String)).toEqual([text]);
  expect((await gateway.spool.ended(id)).requestBody.toString()).toBe(text);
});

test("no body is read if no plugin needs it, or if the header has the value already", async () => {
  expect((await send(JSON.stringify(chat), JSON_TYPE)).seen).toEqual({
    userId: undefined,
    model: undefined,
    body: undefined,
  });
  needs = ["user"];
  const { seen } = await send("not read", { "Gateway-User-Id": "bob" });
  expect(seen?.userId).toBe("bob");
});

test("the record begins before the plugins are called, and a refusal's has the body that they saw", async () => {
  needs = ["model"];
  let begun = false;
  onRequest = ({ id, model }) => {
    begun = gateway.spool.exchanges.has(id);
    return { status: 403, code: "model_not_allowed", message: `not ${model}` };
  };
  const { status, text, id } = await send(JSON.stringify(chat), JSON_TYPE);
  expect([begun, status]).toEqual([true, 403]);
  expect(text).toContain("not m-1");
  const record = await gateway.spool.ended(id);
  expect(record.requestBody.toString()).toBe(JSON.stringify(chat));
  expect(record.end).toMatchObject({ outcome: "refused", status: 403 });
  expect(got).toEqual([]);
});

test("a body that is too large to be judged is refused, and one that only names a user passes unread", async () => {
  const body = Buffer.alloc(65 * 1_024 * 1_024, 0x20);
  needs = ["user"];
  expect((await send(body)).status).toBe(200);
  expect(got.map(({ byteLength }) => byteLength)).toEqual([body.byteLength]);
  needs = ["model"];
  const { status, text, seen } = await send(body);
  expect([status, seen]).toEqual([413, undefined]);
  expect(text).toContain("as far as plugins read bodies");
  expect(got.length).toBe(1);
});
