import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import type { HeadersView, RequestRecord } from "../../src/web/pages/request/record.ts";
import { replayText, type SentBody, sentBody } from "../../src/web/pages/request/replay-text.ts";

const record = (fields: Partial<RequestRecord> = {}) =>
  ({
    request_id: "id-1",
    request_method: "POST",
    request_path: "/v1/chat/completions",
    target_url: "https://api.openai.com/v1/chat/completions",
    provider: "OPENAI",
    request_user_id: null,
    session_id: null,
    session_name: null,
    session_path: null,
    properties: {},
    ...fields,
  }) as RequestRecord;

/** The words that a shell gives to `curl`. */
function words(
  fields: Partial<RequestRecord>,
  request: HeadersView["request"] = [],
  body: SentBody | undefined = { text: '{"model":"m"}' },
): string[] {
  const text = replayText(
    record(fields),
    { headers: { request, response: [], provider_request: null, provider_response: null }, body },
    "http://127.0.0.1:8787",
  );
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${text}`;
  const env = { WEIR_API_KEY: "sk-weir", PROVIDER_API_KEY: "sk-provider", PATH: process.env["PATH"] ?? "" };
  const { stdout, stderr } = spawnSync("sh", ["-c", script], { env, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\0").slice(0, -1);
}

test("a replay is the request, with keys from the environment", () => {
  expect(words({}, [["Authorization", "***"]])).toEqual([
    "http://127.0.0.1:8787/v1/chat/completions",
    "-H",
    "Gateway-Auth: Bearer sk-weir",
    "-H",
    "Gateway-Target-Url: https://api.openai.com",
    "-H",
    "Gateway-Target-Provider: OPENAI",
    "-H",
    "Authorization: Bearer sk-provider",
    "-H",
    "Content-Type: application/json",
    "--data-raw",
    '{"model":"m"}',
  ]);
});

test.each([
  ["a header's name", {}, [["x-`echo run`-key", "***"]], "x-`echo run`-key: sk-provider"],
  ["a header's name with a variable", {}, [["$HOME-key", "***"]], "$HOME-key: sk-provider"],
  ["a header's value", {}, [["x-a", "$(echo run) ' \" `id`"]], "x-a: $(echo run) ' \" `id`"],
  ["a session's name", { session_name: "'; echo run; '" }, [], "Gateway-Session-Name: '; echo run; '"],
  ["a path", { request_path: "/'$(echo run)'" }, [], "http://127.0.0.1:8787/'$(echo run)'"],
] as const)("%s is one word of the command, whatever it holds", (_name, fields, headers, word) => {
  expect(words(fields, headers)).toContain(word);
});

test("a key that was sent in the URL is filled in there, and brackets are no pattern", () => {
  expect(words({ request_path: "/v1/models/x:go?key=***&a[]=1" }).slice(0, 2)).toEqual([
    "--globoff",
    "http://127.0.0.1:8787/v1/models/x:go?key=sk-provider&a[]=1",
  ]);
  expect(words({ request_path: "/a***b" })[0]).toBe("http://127.0.0.1:8787/a***b");
});

test.each([
  ["numbers longer than a program keeps", '{"n":12345678901234567890,"x":1.0, "n":2}'],
  ["what a shell would run", "'; echo run; ' $(id) `id` \\ !!\n\t@file"],
  ["a byte order mark and another script", '\uFEFF{"a":"שלום 🎈"}'],
  ["nothing", ""],
])("a body is sent byte by byte: %s", (_name, text) => {
  const body = sentBody("id-1", new TextEncoder().encode(text));
  expect(words({}, [], body).slice(-2)).toEqual(["--data-raw", text]);
});

test.each([
  ["longer than a command may be", new TextEncoder().encode("ä".repeat(60_000))],
  ["no UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d)],
  ["with a byte that ends a word", Uint8Array.of(0x61, 0, 0x62)],
])("a body that is %s is read from a file", (_name, bytes) => {
  expect(words({}, [], sentBody("id-1", bytes)).slice(-2)).toEqual(["--data-binary", "@id-1-request"]);
});

test("what the body is recorded without is not said of it, and a header without a value stays one", () => {
  const all = words({}, [
    ["Content-Encoding", "gzip"],
    ["X-Empty", ""],
  ]);
  expect(all).not.toContain("Content-Encoding: gzip");
  expect(all).toContain("X-Empty;");
});

test("a request for a head waits for no body", () => {
  const text = replayText(record({ request_method: "HEAD" }), { headers: undefined, body: undefined }, "http://h");
  expect(text).toContain("--head");
  expect(text).not.toContain("-X");
});
