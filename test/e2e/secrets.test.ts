import { afterAll, beforeAll, expect, test } from "bun:test";
import { exchange, type RawUpstream, startRawUpstream, statusOf, valuesOf } from "./raw.ts";
import { everythingStored } from "./stored.ts";
import { callApi, KEY, recordsOf, startWeir, type Weir } from "./weir.ts";

let upstream: RawUpstream;
let weir: Weir;

beforeAll(async () => {
  upstream = await startRawUpstream(() => {
    const body = '{"id":"x","model":"m"}';
    return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nSet-Cookie: session=${plant("set-cookie")}; Path=/\r\nSet-Cookie: b=${plant("second set-cookie")}\r\nX-Debug: Bearer ${plant("debug")}\r\nX-Echo: sk-${plant("echo")}\r\nX-Sas-Url: https://a.example/b?sv=1&sig=${plant("sas")}\r\nAzure-AsyncOperation: https://a.example/o?token=${plant("operation")}\r\nMcp-Session-Id: ${plant("mcp")}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  });
  weir = await startWeir({ env: { WEIR_LOG_LEVEL: "debug" } });
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
});

const planted = new Map<string, string>();
/** A credential that can be found again anywhere. */
function plant(where: string): string {
  const known = planted.get(where);
  if (known !== undefined) return known;
  const secret = `plntd${planted.size.toString().padStart(3, "0")}${"kX9q".repeat(6)}`;
  planted.set(where, secret);
  return secret;
}

const HEADERS: readonly (readonly [string, (secret: string) => string])[] = [
  ["Authorization", (secret) => `Bearer ${secret}`],
  ["authorization", (secret) => `Basic ${Buffer.from(`user:${secret}`).toString("base64")}`],
  ["AUTHORIZATION", (secret) => `AWS4-HMAC-SHA256 Credential=AKIA/x, SignedHeaders=host, Signature=${secret}`],
  ["Authorization", (secret) => secret],
  ["Proxy-Authorization", (secret) => `Basic ${secret}`],
  ["x-api-key", String],
  ["X-API-Key", String],
  ["api-key", String],
  ["x-goog-api-key", String],
  ["X-Amz-Security-Token", String],
  ["Cookie", (secret) => `session=${secret}; other=1`],
  ["Sec-WebSocket-Protocol", (secret) => `realtime, openai-insecure-api-key.${secret}`],
  ["X-Note", (secret) => `ghp_${secret}`],
  ["X-Note", (secret) => `foo bearer ${secret}`],
  ["X-Note", (secret) => `{"api_key":"${secret}"}`],
  ["X-Note", (secret) => `a, "sk-${secret}", b`],
  ["X-Callback-Url", (secret) => `https://u:${secret}@h.example/x`],
  ["X-Callback-Url", (secret) => `https://h.example/x?api_key=${secret}`],
  ["Gateway-User-Id", (secret) => `sk-${secret}`],
  ["Gateway-User-Id", (secret) => `Bearer ${secret}`],
  ["Gateway-Session-Id", (secret) => `sk-${secret}`],
  ["Gateway-Prompt-Id", (secret) => `ghp_${secret}`],
  ["Gateway-Property-Password", String],
  ["Gateway-Property-Link", (secret) => `https://h.example/x?access_token=${secret}`],
  ["Gateway-Auth", (secret) => `Bearer ${secret}`],
];

/** Paths with a credential where no name says so, or in a form that has to be decoded first. */
const PATHS: readonly ((secret: string) => string)[] = [
  (secret) => `/v1/sk-${secret}/x`,
  (secret) => `/botsk-${secret}/sendMessage`,
  (secret) => `/p;api_key=${secret}/x`,
  (secret) => `/v1/things?sk-${secret}`,
  (secret) => `/v1/things?api_key%3D${secret}`,
  (secret) => `/v1/things?api_key%00=${secret}`,
  (secret) => `/v1/things?u=https%3A%2F%2Fu%3A${secret}%40h`,
  (secret) => `/v1/things?u=https%3A%2F%2Fh%3Fapi_key%3D${secret}`,
  (secret) => `/v1/things?j=%7B%22api_key%22%3A%22${secret}%22%7D`,
];

const QUERY = `
  key KEY api_key apikey apiKey api-key access_token token auth_token client_secret password secret sig signature
  passphrase pin bearer api_key[] client_assertion assertion samlresponse ticket code
  X-Amz-Signature X-Amz-Credential X-Amz-Security-Token X-Goog-Signature subscription-key k%65y %61pi_key`
  .trim()
  .split(/\s+/);

const request = (path: string, headers: string, target = upstream.origin) =>
  `POST ${path} HTTP/1.1\r\nHost: weir\r\n${/gateway-auth/i.test(headers) ? "" : `Gateway-Auth: Bearer ${KEY}\r\n`}Gateway-Target-Url: ${target}\r\nContent-Type: application/json\r\nContent-Length: 13\r\n${headers}\r\n{"model":"m"}`;

/** The planted values, also as base64 of what they stand in, that `text` holds. */
function leaked(text: string): string[] {
  return [...planted]
    .filter(
      ([, secret]) =>
        text.includes(secret) || text.includes(Buffer.from(`user:${secret}`).toString("base64").slice(8, -4)),
    )
    .map(([where]) => where);
}

test("no credential of a client or a provider is found in the data directory, the log or the API", async () => {
  const ids: string[] = [];
  const send = async (bytes: string) => {
    const response = await exchange(weir.gatewayPort, bytes, { method: "POST" });
    const id = valuesOf(response!, "gateway-id")[0];
    if (id !== undefined && statusOf(response!) !== 401) ids.push(id);
    return response!;
  };
  for (const [index, [name, value]] of HEADERS.entries()) {
    const response = await send(request("/v1/things", `${name}: ${value(plant(`header ${name} ${index}`))}\r\n`));
    expect(statusOf(response)).toBe(name === "Gateway-Auth" ? 401 : 200);
  }
  for (const name of QUERY) {
    const path = `/v1/things?a=1&${name}=${plant(`query ${name}`)}&b=2`;
    expect(statusOf(await send(request(path, "")))).toBe(200);
    expect(upstream.received.at(-1)!.startLine).toBe(`POST ${path} HTTP/1.1`);
  }
  for (const [index, pathOf] of PATHS.entries()) {
    const path = pathOf(plant(`path ${index}`));
    expect(statusOf(await send(request(path, "")))).toBe(200);
    expect(upstream.received.at(-1)!.startLine).toBe(`POST ${path} HTTP/1.1`);
  }
  for (const target of [
    `http://user:${plant("target password")}@127.0.0.1:${upstream.port}`,
    `http://${plant("target user")}@127.0.0.1:${upstream.port}`,
    `http://127.0.0.1:${upstream.port}/?key=${plant("target query")}`,
    `http://127.0.0.1:1?api_key=${plant("unreachable target query")}`,
  ])
    expect(statusOf(await send(request("/v1/things", "", target)))).toBe(400);
  const unreachable = request(`/v1/things?key=${plant("query, unreachable")}`, "", "http://127.0.0.1:9");
  expect(statusOf(await send(unreachable))).toBe(502);
  expect(statusOf(await send(request(`/../x?key=${plant("query, bad path")}`, "")))).toBe(400);

  const records = await recordsOf(weir, ids);
  expect(planted.size).toBeGreaterThan(70);
  expect(leaked(await (await fetch(`${weir.api}/metrics`)).text())).toEqual([]);
  expect(leaked(JSON.stringify(records))).toEqual([]);
  for (const id of ids) {
    for (const path of [`/v1/request/${id}`, `/v1/request/${id}/body`, `/v1/request/${id}/body?part=response&raw=true`])
      expect(leaked(await (await callApi(weir, path)).text())).toEqual([]);
  }
  const stored = everythingStored(weir.dataDirectory) + weir.log();
  expect(stored).toContain("/v1/things?a=1");
  expect(leaked(stored)).toEqual([]);
  expect(stored).not.toContain(KEY);
  expect(records.find(({ request_path }) => String(request_path).includes("&b=2"))).toBeDefined();
}, 300_000);
