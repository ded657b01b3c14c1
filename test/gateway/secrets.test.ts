import { expect, test } from "bun:test";
import { HeaderReader, recordedGatewayHeaders } from "../../src/gateway/headers/headers.ts";
import { maskOf, maskOfAll, maskProtocols, maskResponseHeaders } from "../../src/gateway/headers/secrets.ts";
import { maskPath as maskAddress, maskPath } from "../../src/masking/mask.ts";
import type { ProviderPlugin } from "../../src/plugin-host/contract.ts";

const SECRET = "Pl4nted5ecret";
const reader = new HeaderReader(["Acme"]);

test.each([
  "Authorization",
  "Proxy-Authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "X-Amz-Security-Token",
  "Cookie",
  "X-Auth-Token",
  "Ocp-Apim-Subscription-Key",
  "cf-aig-authorization",
  "X-Vercel-OIDC-Token",
  "x-portkey-api-key",
  "X-Client-Secret",
  "X-Signature",
  "X-Hub-Signature-256",
  "X-CSRF-Token",
  "X-Session-Id",
  "apikey",
  "X-Password",
  "X-GitHub-Credential",
  "OPENAI_API_KEY",
])("the value of the request header %s is not recorded", (name) => {
  const headers = reader.read(["Host", "a", name, SECRET]);
  expect(reader.recorded(headers, new Set())).toEqual(["Host", "a", name, "***"]);
  expect(reader.forward(headers, "b", false)).toEqual(["Host", "b", name, SECRET]);
});

test.each([
  ["X-Whatever", `Bearer ${SECRET}`],
  ["X-Whatever", `basic ${SECRET}`],
  ["X-Whatever", `AWS4-HMAC-SHA256 Credential=${SECRET}`],
  ["X-Whatever", `sk-weir-us-${SECRET}${SECRET}`],
  ["X-Whatever", `AIza${SECRET}${SECRET}`],
  ["X-Whatever", `eyJhbGciOiJIUzI1NiJ9.${SECRET}.x-y_z`],
  ["Referer", `https://a.example/x?q=gsk_${SECRET}${SECRET}&y=1`],
  ["Referer", `https://a.example/x?api_key=${SECRET}&y=1`],
  ["Referer", `https://u:${SECRET}@a.example/x`],
  ["Sec-WebSocket-Protocol", `realtime, openai-insecure-api-key.${SECRET}, openai-beta.realtime-v1`],
  ["Sec-WebSocket-Protocol", `realtime, ek_${SECRET}`],
  ["Sec-WebSocket-Protocol", `bearer, ${SECRET}`],
  ["Sec-WebSocket-Protocol", `v1,access_token,${SECRET}, v2`],
  ["Sec-WebSocket-Protocol", `base64url.bearer.authorization.k8s.io.${SECRET}, v4`],
])("a credential in %s: %s is not recorded", (name, value) => {
  const kept = reader.recorded(reader.read([name, value]), new Set());
  expect(kept.join("\n")).not.toContain(SECRET);
  expect(kept[0]).toBe(name);
});

test.each([
  "Content-Type",
  "User-Agent",
  "Accept",
  "anthropic-version",
  "OpenAI-Organization",
  "X-Stainless-Lang",
  "X-Max-Tokens",
])("the value of %s is recorded", (name) => {
  expect(reader.recorded(reader.read([name, "plain"]), new Set())).toEqual([name, "plain"]);
});

test("headers that a provider plugin names are masked too", () => {
  const provider: ProviderPlugin = { apiVersion: 1, name: "P", mask: { headers: ["X-Special"], query: ["Passe"] } };
  for (const { headers } of [maskOf(provider), maskOfAll([{ apiVersion: 1, name: "Q" }, provider])])
    expect(reader.recorded(reader.read(["x-SPECIAL", SECRET]), headers)).toEqual(["x-SPECIAL", "***"]);
  expect(maskPath(`/a?passe=${SECRET}`, new Set(["passe"]))).toBe("/a?passe=***");
});

test.each([
  ["/a?key=S", "/a?key=***"],
  ["/a?x=1&key=S&y=2", "/a?x=1&key=***&y=2"],
  ["/a?api_key=S", "/a?api_key=***"],
  ["/a?apiKey=S", "/a?apiKey=***"],
  ["/a?access_token=S", "/a?access_token=***"],
  ["/a?accessToken=S", "/a?accessToken=***"],
  ["/a?token=S&sig=S&signature=S", "/a?token=***&sig=***&signature=***"],
  ["/a?X-Amz-Signature=S&X-Amz-Credential=S", "/a?X-Amz-Signature=***&X-Amz-Credential=***"],
  ["/a?X-Goog-Signature=S", "/a?X-Goog-Signature=***"],
  ["/a?%6bey=S", "/a?%6bey=***"],
  ["/a?k%65y=S", "/a?k%65y=***"],
  ["/a?x=1;key=S", "/a?x=1;key=***"],
  ["/a?x?key=S", "/a?x?key=***"],
  ["/a?subscription-key=S", "/a?subscription-key=***"],
  ["/a?client_secret=S&password=S", "/a?client_secret=***&password=***"],
  ["/proxy/https://u:S@h/x", "/proxy/https://***@h/x"],
  ["/a#access_token=S", "/a#access_token=***"],
  ["/a?max_tokens=5&alt=sse&q=key", "/a?max_tokens=5&alt=sse&q=key"],
  ["/key/S", "/key/S"],
  ["/a?", "/a?"],
  ["/a?key", "/a?key"],
  ["/a?key=", "/a?key=***"],
])("the path %s is recorded as %s", (path, expected) => {
  expect(maskPath(path)).toBe(expected);
});

test.each([
  ["https://u:S@h/x", "https://***@h/x"],
  ["https://S@h?key=S", "https://***@h?key=***"],
  ["//u:S@h/", "//***@h/"],
  ["https://h/@x", "https://h/@x"],
])("the address %s is recorded as %s", (address, expected) => {
  expect(maskAddress(address)).toBe(expected);
});

test("gateway headers are recorded in their canonical spelling, without the key and without passwords", () => {
  const { gateway } = reader.read([
    "Acme-Auth",
    `Bearer ${SECRET}`,
    "Gateway-Target-Url",
    `https://u:${SECRET}@h/?key=${SECRET}`,
    "acme-property-env",
    "prod",
    "Acme-Property-AppKey",
    "x",
    "Gateway-Session-Id",
    "s",
    "Gateway-Cache-Ignore-Keys",
    "a",
    "Acme-OpenAI-Api-Base",
    "https://h",
    "Gateway-Upstream-Token",
    SECRET,
  ]);
  expect(recordedGatewayHeaders(gateway)).toEqual([
    "Gateway-Target-Url",
    "https://***@h/?key=***",
    "gateway-property-env",
    "prod",
    "Gateway-Property-AppKey",
    "x",
    "Gateway-Session-Id",
    "s",
    "Gateway-Cache-Ignore-Keys",
    "a",
    "Gateway-Target-Url",
    "https://h",
    "Gateway-Upstream-Token",
    "***",
  ]);
});

test.each([
  ["Set-Cookie", "sid=S", "***"],
  ["set-cookie2", "S", "***"],
  ["X-Amz-Security-Token", "S", "***"],
  ["X-Api-Key", "S", "***"],
  ["Authorization", "S", "***"],
  ["Authentication-Info", "S", "***"],
  ["Location", "https://h/x?token=S", "https://h/x?token=***"],
  ["X-Amzn-Bedrock-Input-Token-Count", "12", "12"],
  ["anthropic-ratelimit-tokens-remaining", "12", "12"],
  ["x-ratelimit-remaining-tokens", "12", "12"],
  ["request-id", "r", "r"],
])("the response header %s: %s is recorded as %s", (name, value, expected) => {
  expect(maskResponseHeaders(["A", "1", name, value], new Set())).toEqual(["A", "1", name, expected]);
});

test("a credential among values that repeat is masked each time", () => {
  const values = [`curl/8.5.0 Bearer ${SECRET}`, "curl/8.5.0"].flatMap((value) => [value, value]);
  const expected = values.map((value) => value.replace(SECRET, "***"));
  const shown = (value: string) => reader.recorded(reader.read(["USER-AGENT", value]), new Set())[1]!;
  expect(values.map(shown)).toEqual(expected);
  expect(values.map((value) => maskResponseHeaders(["SERVER", value], new Set())[1]!)).toEqual(expected);
});

test("a provider's choice of a subprotocol with a key is masked like the client's list", () => {
  const headers = ["Sec-WebSocket-Protocol", `acme-api-key.${SECRET}`];
  expect(maskResponseHeaders(headers, new Set())[1]).toBe("acme-api-key.***");
});

test("subprotocols without keys stay readable", () => {
  expect(maskProtocols("realtime, openai-beta.realtime-v1")).toBe("realtime, openai-beta.realtime-v1");
});
