import { expect, test } from "bun:test";
import type { RequestHooks } from "../../src/gateway/gateway-parts.ts";
import { OK, startProvider } from "../raw-http.ts";
import { gatewayHeaders, once, startTestGateway } from "./harness.ts";

const NOT_ITS_OWN = {
  "Gateway-Id": "forged",
  "acme-id": "forged",
  "gateway-cache": "FORGED",
  "Gateway-Cache-Bucket-Idx": "forged",
  "Content-Length": "7",
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
  ["an answer", adds],
  ["a refusal", refuses],
])("a plugin adds headers to %s, but neither the gateway's own nor such as frame it", async (_name, hooks) => {
  await using provider = await startProvider(({ socket }) => socket.write(OK));
  await using gateway = await startTestGateway({ hooks, config: { header_aliases: ["Acme"] } });
  const answer = await once(gateway, "GET /v1/x", gatewayHeaders(provider.origin));
  const [head = ""] = answer.split("\r\n\r\n");
  const lines = head.toLowerCase().split("\r\n");
  expect(lines).toContain("x-team: green");
  expect(lines).toContain("gateway-ratelimit-limit: 9");
  expect(lines).toContain("acme-idle: yes");
  for (const name of ["gateway-id", "acme-id", "content-length"]) {
    expect([name, lines.filter((line) => line.startsWith(`${name}:`)).length]).toEqual([name, 1]);
  }
  expect(head).not.toMatch(/forged|content-length: 7\b/i);
});
