import { expect, test } from "bun:test";
import { inspect } from "node:util";
import type { RequestHooks } from "../../src/gateway/request-hooks.ts";
import type { GatewayRequest } from "../../src/plugin-host/contract.ts";
import { OK, startProvider } from "../raw-http.ts";
import { gatewayHeaders, KEY, once, startTestGateway } from "./harness.ts";

const NOT_ITS_OWN = {
  "Gateway-Id": "forged",
  "acme-id": "forged",
  "gateway-cache": "FORGED",
  "Gateway-Cache-Bucket-Idx": "forged",
  "Content-Length": "7",
  "Content-Type": "forged",
  "content-encoding": "forged",
  "Transfer-Encoding": "forged",
  Connection: "forged",
};
const ITS_OWN = { "X-Team": "green", "gateway-ratelimit-limit": "9", "Acme-Idle": "yes" };
const ALL = { ...NOT_ITS_OWN, ...ITS_OWN };

const none = { has: () => true, onRequest: () => undefined, onForward: () => undefined, onEnd: () => undefined };
const adds: RequestHooks = { ...none, onRequest: () => ({ responseHeaders: ALL }) };
const refuses: RequestHooks = {
  ...none,
  onRequest: () => ({ status: 403, code: "closed", message: "come back at nine", headers: ALL }),
};

test.each([
  ["a response", adds],
  ["a refusal", refuses],
])("a plugin adds headers to %s, but neither the gateway's own nor the body's", async (_name, hooks) => {
  await using provider = await startProvider(({ socket }) => socket.write(OK));
  await using gateway = await startTestGateway({ hooks, config: { header_aliases: ["Acme"] } });
  const response = await once(gateway, "GET /v1/x", gatewayHeaders(provider.origin));
  const [head = ""] = response.split("\r\n\r\n");
  const lines = head.toLowerCase().split("\r\n");
  expect(lines).toContain("x-team: green");
  expect(lines).toContain("gateway-ratelimit-limit: 9");
  expect(lines).toContain("acme-idle: yes");
  for (const name of ["gateway-id", "acme-id", "content-length"]) {
    expect([name, lines.filter((line) => line.startsWith(`${name}:`)).length]).toEqual([name, 1]);
  }
  expect(head).not.toMatch(/forged|content-length: 7\b/i);
});

test("a refusal of a plugin that quotes a credential is sent and recorded without it", async () => {
  const key = `sk-proj-${"aB3".repeat(16)}`;
  const quotes: RequestHooks = {
    ...none,
    onRequest: () => ({ status: 400, code: "x", message: `in "${key}" is a key` }),
  };
  await using gateway = await startTestGateway({ hooks: quotes });
  const response = await once(gateway, "GET /v1/x", gatewayHeaders("http://127.0.0.1:9"));
  expect(response).toContain('in \\"***\\" is a key');
});

test("nothing that a plugin can reach or print of a request holds a credential", async () => {
  let printed = "";
  const print = (request: GatewayRequest) => {
    const values = ["auth", "fallbacks"].map((name) => request.gatewayHeader(name));
    const shown = inspect([request, [...request.headers]], { depth: 20, showHidden: true, getters: true });
    printed = `${shown} ${values} ${JSON.stringify(request)}`;
    return undefined;
  };
  await using provider = await startProvider(({ socket }) => socket.write(OK));
  await using gateway = await startTestGateway({ hooks: { ...none, onRequest: print } });
  const fallback = JSON.stringify([{ target: provider.origin, headers: { "x-api-key": "of-the-fallback" } }]);
  const secrets = `Authorization: Bearer of-the-provider\r\nGateway-Fallbacks: ${fallback}\r\nGateway-Property-Team: green\r\n`;
  await once(gateway, "GET /v1/x?key=of-the-query", gatewayHeaders(provider.origin, secrets));
  expect(printed).toContain("green");
  for (const secret of [`Bearer ${KEY}`, "of-the-provider", "of-the-fallback", "of-the-query"])
    expect(printed).not.toContain(secret);
});
