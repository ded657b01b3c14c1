import { expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "../../src/errors.ts";
import { sentKey } from "../../src/gateway/authenticate.ts";
import { HeaderReader, recordedGatewayHeaders } from "../../src/gateway/headers/headers.ts";
import { readOmissions, readSettings } from "../../src/gateway/headers/settings.ts";
import { hashKey, KeyRing, type KeySnapshot } from "../../src/keys.ts";
import { assertProperty } from "../chance.ts";

const TARGET = ["Gateway-Target-Url", "https://h.example"];

test.each([
  ["the same lines", [], true],
  ["another user", ["Gateway-User-Id", "u-2"], true],
  ["another property", ["Gateway-Property-Order", "17"], true],
  ["another key", ["Gateway-Auth", "Bearer other"], true],
  ["another id", ["Gateway-Request-Id", "01a20a1a-addc-712d-8b6c-ecc670357102"], true],
  ["a header that is not the gateway's", ["traceparent", "00-1-1-01"], true],
  ["one more setting", ["Gateway-Cache-Enabled", "true"], false],
  ["a property without a name, which is refused", ["Gateway-Property-", "x"], false],
  ["the same setting in another alias", ["Acme-Target-Url", "https://h.example"], false],
])("with a target, %s: the settings are the same object: %#", (_name, more, isSame) => {
  const reader = new HeaderReader(["Acme"]);
  const first = reader.read([...TARGET, "Gateway-User-Id", "u-1"]).settings;
  expect(reader.read([...more, ...TARGET]).settings === first).toBe(isSame);
});

test.each([
  ["an address with a password", "Gateway-Target-Url", "https://u:planted-password@h.example"],
  ["fallbacks", "Gateway-Fallbacks", "[]"],
  ["a provider's key", "Gateway-Provider-Key", "sk-planted"],
  ["a setting that names a secret", "Gateway-Upstream-Token", "planted"],
  ["a value that is a key by its form", "Gateway-Model", "sk-ant-api03-Aa1Bb2Cc3Dd4Ee5Ff6Gg7Hh8"],
])("a line with a credential is not remembered: %s", (_name, name, value) => {
  const reader = new HeaderReader([]);
  const [once, again] = [reader.read([name, value]), reader.read([name, value])];
  expect(once.gateway[0]).not.toBe(again.gateway[0]!);
  expect(once.settings).not.toBe(again.settings);
  expect(once.gateway).toEqual(again.gateway as never);
});

test("a value that follows from the lines is computed once; a function that throws is called again", () => {
  const reader = new HeaderReader([]);
  const ask = () => reader.read(TARGET).settings;
  expect(ask().once(readSettings)).toBe(ask().once(readSettings));
  const wrong = () => reader.read(["Gateway-Omit-Request", "perhaps"]).settings.once(readSettings);
  for (let time = 0; time < 2; time++) expect(wrong).toThrow("must be");
});

/** Lines that heads are made of: settings, labels, keys, aliases, repeated and wrong ones. */
const LINES: readonly (readonly [string, string])[] = [
  ...["https://a.example", "https://u:p@b.example", "no address"].map((url) => ["Gateway-Target-Url", url] as const),
  ...["true", "FALSE", "maybe"].map((flag) => ["gateway-omit-request", flag] as const),
  ...["x", "Bearer sk-1", "é"].map((name) => ["Acme-Target-Provider", name] as const),
  ...["1", "2"].map((seed) => ["Gateway-Cache-Seed", seed] as const),
  ["Gateway-Auth", "Bearer sk-1"],
  ["Gateway-User-Id", "u"],
  ["Gateway-Property-", "empty"],
  ["Gateway-Property-Key", "v"],
  ["Gateway-Fallbacks", "[]"],
  ["Content-Type", "application/json"],
];

test("a reader with a memory reads the same as one without", () => {
  const heads = fc.array(fc.array(fc.constantFrom(...LINES), { maxLength: 8 }), { minLength: 1, maxLength: 12 });
  assertProperty(
    fc.property(heads, (all) => {
      const remembering = new HeaderReader(["Acme"]);
      for (const head of all) {
        const read = (reader: HeaderReader) => {
          const { settings: lines, gateway, auth } = reader.read(head.flat());
          const settings = outcome(() => lines.once(readSettings));
          return {
            settings,
            omit: lines.once(readOmissions),
            recorded: recordedGatewayHeaders(gateway),
            gateway,
            auth,
          };
        };
        expect(read(remembering)).toEqual(read(new HeaderReader(["Acme"])));
      }
    }),
  );
});

function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error instanceof GatewayError ? `${error.code}: ${error.message}` : error;
  }
}

test("more lines than the memory holds are forgotten, and read as before", () => {
  const reader = new HeaderReader([]);
  const first = reader.read(TARGET).settings;
  for (let at = 0; at < 3_000; at++) reader.read(["Gateway-Target-Url", `https://${at}.example`]);
  const later = reader.read(TARGET).settings;
  expect(later).not.toBe(first);
  expect(later.once(readSettings)).toEqual(first.once(readSettings));
  expect(reader.read(TARGET).settings).toBe(later);
});

const NOW = 1_000;
const key = (text: string, more: Partial<KeySnapshot> = {}): KeySnapshot => ({
  ...{ id: text, organizationId: "o", name: text, hash: hashKey(text), scopes: ["gateway"], permissions: ["gateway"] },
  ...{ userId: null, userPermissions: null, expiresAt: null, revokedAt: null, models: null, credentials: null },
  ...more,
});

test("a key that is remembered is judged with each request", () => {
  const ring = new KeyRing();
  const code = (now = NOW) => {
    const found = sentKey(ring, ["Bearer k-1"], now);
    return found instanceof GatewayError ? found.code : found.id;
  };
  expect(code()).toBe("invalid_gateway_auth");
  ring.replace([key("k-1", { expiresAt: NOW + 10 })]);
  expect([code(), code(), code(NOW + 10)]).toEqual(["k-1", "k-1", "expired_gateway_auth"]);
  ring.forgetTexts();
  expect(code()).toBe("k-1");
  ring.forgetTexts();
  ring.forgetTexts();
  expect(code()).toBe("k-1");
  ring.replace([key("k-1", { revokedAt: NOW })]);
  expect(code()).toBe("invalid_gateway_auth");
  ring.replace([]);
  expect(code()).toBe("invalid_gateway_auth");
});
