import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { KNOWN_SETTINGS, NAMED_SETTINGS } from "../../src/gateway/headers/known-settings.ts";
import type { ProviderPlugin } from "../../src/plugin-host/contract.ts";
import { KEY, keySnapshot, once, startTestGateway, type TestGateway } from "./harness.ts";

const OPENAI: ProviderPlugin = {
  apiVersion: 1,
  name: "OPENAI",
  hosts: ["api.openai.test"],
  target: "https://api.openai.test",
  dedicatedDomain: "openai",
};
const AZURE: ProviderPlugin = { apiVersion: 1, name: "AZURE", dedicatedDomain: "azure" };

const AUTH = `Gateway-Auth: Bearer ${KEY}\r\n`;
const TARGET = "Gateway-Target-Url: http://127.0.0.1:9\r\n";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    keys: [keySnapshot(KEY)],
    providers: [OPENAI, AZURE],
    config: { gateway_domain: "localhost", header_aliases: ["Acme"] },
  });
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

test.each([
  ["", "weir", "missing_target", "send Gateway-Target-Url, or use a provider's own address"],
  [
    "Gateway-Target-URI: http://a\r\n",
    "weir",
    "missing_target",
    "unknown header Gateway-Target-URI; did you mean Gateway-Target-Url?",
  ],
  [
    "gateway-targeturl: http://a\r\n",
    "weir",
    "missing_target",
    "unknown header gateway-targeturl; did you mean Gateway-Target-Url?",
  ],
  [
    "Acme-Target-Uri: http://a\r\n",
    "weir",
    "missing_target",
    "unknown header Gateway-Target-Uri; did you mean Gateway-Target-Url?",
  ],
  [
    "Gateway-Target-Providr: x\r\n",
    "weir",
    "missing_target",
    "unknown header Gateway-Target-Providr; did you mean Gateway-Target-Provider?",
  ],
  [
    "Gateway-Target-Provider: openai\r\n",
    "weir",
    "missing_target",
    "Gateway-Target-Provider sets no target; send Gateway-Target-Url: https://api.openai.test",
  ],
  // A provider without one target has none to name.
  [
    "Gateway-Target-Provider: azure\r\n",
    "weir",
    "missing_target",
    "send Gateway-Target-Url, or use a provider's own address",
  ],
  // Headers with names of their own, and slips that have nothing to do with it are passed over.
  [
    "Gateway-Property-Target-Url: x\r\n",
    "weir",
    "missing_target",
    "send Gateway-Target-Url, or use a provider's own address",
  ],
  ["Gateway-Usr-Id: x\r\n", "weir", "missing_target", "send Gateway-Target-Url, or use a provider's own address"],
  [
    "",
    "opneai.localhost:8787",
    "missing_target",
    "no provider has the address opneai.localhost; did you mean openai.localhost?",
  ],
  [
    "",
    "something-else.localhost",
    "missing_target",
    "no provider has the address something-else.localhost; send Gateway-Target-Url, or use a provider's own address",
  ],
  ["", "azure.localhost", "missing_target", "AZURE has no fixed address; send Gateway-Target-Url"],
])("a request with %j at %s: %s, %s", async (headers, host, code, message) => {
  const response = await once(gateway, "POST /v1/x", `Host: ${host}\r\n${AUTH}${headers}Content-Length: 2\r\n`, "{}");
  expect(errorOf(response)).toMatchObject({ code, message });
});

const WEIR_KEY = "sk-weir-us-0000";
test.each([
  ["", "send Gateway-Auth: Bearer <service key>"],
  ["Authorization: Bearer sk-proj-1\r\n", "send Gateway-Auth: Bearer <service key>"],
  [
    `Authorization: Bearer ${KEY}\r\n`,
    "your Weir key came as Authorization; send it as Gateway-Auth: Bearer <service key>, and the provider's own key as Authorization",
  ],
  [
    `authorization: bearer ${WEIR_KEY}\r\n`,
    "the Weir key in authorization is no service key of this gateway; create one with: weir keys create",
  ],
  [
    `X-Api-Key: ${WEIR_KEY}\r\n`,
    "the Weir key in X-Api-Key is no service key of this gateway; create one with: weir keys create",
  ],
  ["Gateway-Authorization: Bearer x\r\n", "send Gateway-Auth: Bearer <service key>"],
  ["Gateway-Autth: Bearer x\r\n", "unknown header Gateway-Autth; did you mean Gateway-Auth?"],
])("a request without Gateway-Auth, with %j, is a 401 that suggests the right header", async (headers, message) => {
  const response = await once(gateway, "POST /v1/x", `Host: weir\r\n${TARGET}${headers}Content-Length: 2\r\n`, "{}");
  const error = errorOf(response);
  expect(error).toMatchObject({ code: "missing_gateway_auth", message });
  expect(response).not.toContain(WEIR_KEY);
  expect(response).not.toContain(KEY);
});

test("every Gateway-* header that the documentation names is known", () => {
  const docs = readdirSync("docs").filter((name) => name.endsWith(".md"));
  const text = docs.map((name) => readFileSync(`docs/${name}`, "utf8")).join("\n");
  const named = [
    ...new Set([...text.matchAll(/`Gateway-([A-Za-z][A-Za-z-]*[A-Za-z])/g)].map(([, name]) => name!.toLowerCase())),
  ];
  expect(named.length).toBeGreaterThan(25);
  const isKnown = (name: string) =>
    Object.hasOwn(KNOWN_SETTINGS, name) || NAMED_SETTINGS.some((prefix) => `${name}-`.startsWith(prefix));
  expect(named.filter((name) => !isKnown(name))).toEqual(["export", "omit", "organization"]); // `Gateway-Omit-*` stands for both; the API takes the others
});

function errorOf(response: string) {
  return JSON.parse(response.slice(response.indexOf("\r\n\r\n") + 4)).error;
}
