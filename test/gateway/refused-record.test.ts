import { expect, test } from "bun:test";
import type { ProviderPlugin } from "../../src/plugin-host/contract.ts";
import { idOf, KEY, keySnapshot, once, startTestGateway } from "./harness.ts";

const TARGET = "Gateway-Target-Url: http://127.0.0.1:9\r\n";
const AUTH = `Gateway-Auth: Bearer ${KEY}\r\n`;
const DOOR: ProviderPlugin = {
  apiVersion: 1,
  name: "DOOR",
  hosts: ["127.0.0.1"],
  target: "http://127.0.0.1:9",
  dedicatedDomain: "door",
  mask: { headers: ["x-door"], query: ["who"] },
};

test.each([
  ["for its scope", `Host: weir\r\nGateway-Auth: Bearer reader\r\n${TARGET}`, "DOOR"],
  ["for its id", `Host: weir\r\n${AUTH}${TARGET}Gateway-Request-Id: 42\r\n`, "DOOR"],
  ["for an id that was used", `Host: weir\r\n${AUTH}${TARGET}Gateway-Request-Id: ${crypto.randomUUID()}\r\n`, "DOOR"],
  ["for a header", `Host: weir\r\n${AUTH}${TARGET}Gateway-Cache-Enabled: 1\r\n`, "DOOR"],
  ["at the provider's address", `Host: door.localhost\r\n${AUTH}Gateway-Omit-Request: 1\r\n`, "DOOR"],
  ["without a target", `Host: weir\r\n${AUTH}`, undefined],
  ["for two targets", `Host: weir\r\n${AUTH}${TARGET}Gateway-Target-Url: http://b\r\n`, undefined],
])(
  "a request refused %s is recorded with its target, and without the credentials of its provider",
  async (...given) => {
    const [, headers, provider] = given;
    await using gateway = await startTestGateway({
      keys: [keySnapshot(KEY), keySnapshot("reader", { scopes: ["read"] })],
      providers: [DOOR],
      claimId: async () => false,
    });
    const response = await once(gateway, "GET /x?who=S", `${headers}X-Door: S\r\n`);
    const { begin } = await gateway.spool.ended(idOf(response));
    expect(begin).toMatchObject({
      provider: provider ?? "CUSTOM",
      target: provider === undefined ? "" : DOOR.target!,
      path: "/x?who=***",
    });
    expect(begin.headers.join()).toContain("X-Door,***");
  },
);
