import { expect, test } from "bun:test";
import { GatewayError } from "../../src/errors.ts";
import { gatewayHeaders, idOf, once, startTestGateway } from "./harness.ts";

test.each([
  ["a refusal of a plugin, whatever its status", () => ({ status: 503, code: "closed", message: "x" }), 503, "refused"],
  ["a plugin that fails", () => Promise.reject(new GatewayError("plugin_failed")), 500, "failed"],
  ["a mistake of ours", () => Promise.reject(new Error("oops")), 500, "failed"],
])("%s has its own outcome", async (_name, onRequest, status, outcome) => {
  const hooks = { has: () => true, onRequest, onForward: () => undefined, onEnd: () => undefined };
  await using gateway = await startTestGateway({ hooks });
  const response = await once(gateway, "GET /", gatewayHeaders("http://127.0.0.1:9"));
  expect(response).toStartWith(`HTTP/1.1 ${status}`);
  expect((await gateway.spool.ended(idOf(response))).end).toMatchObject({ status, outcome });
  expect([...gateway.counts().requests.keys()]).toEqual([`CUSTOM 5xx ${outcome}`]);
});
