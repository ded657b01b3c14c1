import { describe, expect, test } from "bun:test";
import { GatewayError } from "../../src/errors.ts";
import { checkPath, findRoute, parseTarget, recordedPath } from "../../src/gateway/target.ts";
import type { ProviderPlugin } from "../../src/plugin-host/contract.ts";
import { providerIndex } from "./harness.ts";

const ACME: ProviderPlugin = {
  apiVersion: 1,
  name: "ACME",
  aliases: ["acme-ai"],
  hosts: ["api.acme.test", "*.acme.test"],
  target: "https://api.acme.test",
  dedicatedDomain: "acme",
};
const OTHER: ProviderPlugin = { apiVersion: 1, name: "OTHER", hosts: ["api.other.test"], dedicatedDomain: "other" };
const providers = providerIndex([ACME, OTHER]);

function codeOf(run: () => unknown): string {
  try {
    run();
    return "fine";
  } catch (error) {
    return error instanceof GatewayError ? error.code : String(error);
  }
}

test.each([
  ["https://api.example.com", "https://api.example.com", "api.example.com", 443],
  ["HTTPS://API.Example.com/", "https://api.example.com", "api.example.com", 443],
  ["http://a.test:8080", "http://a.test:8080", "a.test:8080", 8080],
  ["https://a.test:443", "https://a.test", "a.test", 443],
  ["http://[::1]:99/", "http://[::1]:99", "[::1]:99", 99],
  ["http://my_host", "http://my_host", "my_host", 80],
  ["http://0x7f.1", "http://127.0.0.1", "127.0.0.1", 80],
])("the target %s is understood", (text, origin, authority, port) => {
  expect(parseTarget(text)).toMatchObject({ origin, authority, upstream: { port } });
});

test.each(["http://a.test", "http://a.test.", "http://A.TEST..:80"])(
  "the host of %s is a.test to every policy",
  (text) => {
    expect(parseTarget(text).host).toBe("a.test");
  },
);

test.each([
  "",
  "/",
  "api.example.com",
  "//api.example.com",
  "ftp://a",
  "https://",
  "https:///",
  "https://a/b",
  "https://a//",
  "https://a/?",
  "https://a?x",
  "https://a#x",
  "https://u@a",
  "https://u:p@a",
  "https://a b",
  "https://a:99999",
  "https://a:0",
  "https://a:",
  "https://a:80:80",
  "https://[::1",
  "https://%6c%6f",
  "https://a\\b",
  "https://1.2.3.4.5",
  "https://[1.2.3.4]",
  "https:/a",
  "https:a",
  "https://\u00e9.test",
  "javascript:alert(1)",
  "https://a, https://b",
  "https://999.1.1.1",
  "http://.",
  "http://..",
  "http://.a.test",
  "http://a..test",
])("the target %j is refused", (text) => {
  expect(codeOf(() => parseTarget(text))).toBe("invalid_target");
});

describe("the route", () => {
  const route = (targetUrl: string | undefined, targetProvider: string | undefined, host: string | undefined) => {
    const found = findRoute({ targetUrl, targetProvider }, host, "Localhost", providers);
    return [found.target.origin, found.providerName, found.provider?.name];
  };

  test.each([
    ["https://api.acme.test", undefined, "weir", ["https://api.acme.test", "ACME", "ACME"]],
    ["https://eu.acme.test:444", undefined, "weir", ["https://eu.acme.test:444", "ACME", "ACME"]],
    ["https://unknown.test", undefined, "weir", ["https://unknown.test", "CUSTOM", undefined]],
    ["https://api.acme.test.evil.test", undefined, "weir", ["https://api.acme.test.evil.test", "CUSTOM", undefined]],
    ["https://unknown.test", "Acme-AI", "weir", ["https://unknown.test", "ACME", "ACME"]],
    ["https://unknown.test", "mine", "weir", ["https://unknown.test", "MINE", undefined]],
    ["https://api.acme.test", "other", "weir", ["https://api.acme.test", "OTHER", "OTHER"]],
    [undefined, undefined, "acme.localhost", ["https://api.acme.test", "ACME", "ACME"]],
    [undefined, undefined, "ACME.LocalHost:8787", ["https://api.acme.test", "ACME", "ACME"]],
    [undefined, undefined, "acme.localhost.:8787", ["https://api.acme.test", "ACME", "ACME"]],
    ["https://eu.acme.test", undefined, "acme.localhost", ["https://eu.acme.test", "ACME", "ACME"]],
    ["https://mine.test", "acme", "acme.localhost", ["https://mine.test", "ACME", "ACME"]],
    ["https://x.test", undefined, "nobody.localhost", ["https://x.test", "CUSTOM", undefined]],
  ] as const)("of target %p, provider %p and host %p is found", (url, named, host, expected) => {
    expect<unknown>(route(url, named, host)).toEqual([...expected]);
  });

  test.each([
    [undefined, undefined, "weir", "missing_target"],
    [undefined, "acme", "weir", "missing_target"],
    [undefined, undefined, undefined, "missing_target"],
    [undefined, undefined, "nobody.localhost", "missing_target"],
    [undefined, undefined, "a.acme.localhost", "missing_target"],
    [undefined, undefined, "localhost", "missing_target"],
    [undefined, undefined, "other.localhost", "missing_target"],
    ["https://api.other.test", undefined, "acme.localhost", "invalid_target"],
    ["https://unknown.test", undefined, "acme.localhost", "invalid_target"],
    ["https://a/b", undefined, "acme.localhost", "invalid_target"],
  ] as const)("of target %p, provider %p and host %p is refused: %s", (url, named, host, code) => {
    expect(codeOf(() => route(url, named, host))).toBe(code);
  });
});

test.each([
  "/",
  "/a",
  "/a/",
  "//a//b",
  "/a%2F..%2Fb",
  "/...",
  "/.../x",
  "/a/..b",
  "/a/b..",
  "/.well-known",
  "/a?../x",
  "/a?x=/../y",
  "/a?",
  "/%2e%2e%2e",
  "/a;b=1",
  '/{x}|^`"<>\\a',
  "/~!$&'()*+,=:@",
])("the path %s passes", (path) => {
  expect(codeOf(() => checkPath(path))).toBe("fine");
});

test.each([
  "",
  "a",
  "*",
  "http://h/x",
  "/..",
  "/../a",
  "/a/..",
  "/a/../b",
  "/.",
  "/./a",
  "/a/.",
  "/%2e",
  "/%2E%2e/a",
  "/a/.%2e",
  "/a/%2e./b",
  "/a/..?x",
  "/a\\..\\b",
  "/a b",
  "/a\tb",
  "/a#b",
  "/a?x#y",
  "/a\x00",
  "/a\x7f",
  "/caf\u00e9",
  "/\u20ac",
  "/a?caf\u00e9",
  "/a?x y",
])("the path %j is refused", (path) => {
  expect(codeOf(() => checkPath(path))).toBe("invalid_path");
});

test("a path that repeats is recorded without its credentials, and other paths are still checked", () => {
  const key = `sk-proj-${"aB3".repeat(16)}`;
  const names = new Set(["own"]);
  const paths = [`/v1/${key}/files`, "/v1/own=12345/files", "/v1/files?own=12345", "/v1/files"];
  const recorded = paths.map((path) => {
    for (let times = 0; times < 40; times++) checkPath(path); // a repeated path is learned now and then
    return recordedPath(path, names);
  });
  expect(recorded).toEqual(["/v1/***/files", "/v1/own=***/files", "/v1/files?own=***", "/v1/files"]);
  for (const path of ["/v1/files/..", "/v1/files ", "v1/files", "/v1/./files"])
    expect(codeOf(() => checkPath(path))).toBe("invalid_path");
  expect(recordedPath("/v1/files\x7f", names)).toBe("/v1/files%7F");
  expect(recordedPath("/v1/files?own=12345#x", names)).toBe("/v1/files?own=***%23x");
});
