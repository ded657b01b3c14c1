import { afterAll, beforeAll, expect, test } from "bun:test";
import { openApi, type TestApi } from "../open.ts";

/** Smaller than the body of `large`. */
const BODY_BYTES_MAX = 2_048;
const SOME_ID = "018f0000-0000-7000-8000-000000000000";

let it: TestApi;
beforeAll(async () => {
  it = await openApi({ max_api_body_bytes: BODY_BYTES_MAX });
});
afterAll(() => it[Symbol.asyncDispose]());

const BODIES = {
  none: undefined,
  broken: "{x",
  word: '"x"',
  unfit: '{"nosuch":1}',
  large: JSON.stringify({ x: "x".repeat(BODY_BYTES_MAX) }),
};
type Body = keyof typeof BODIES;
type Key = "none" | "unknown" | keyof TestApi["keys"];

/** A request that is wrong in several ways gets the first of them: path, method, key, permission, then the body. */
test.each<[method: string, path: string, Key, Body, status: number, code: string]>([
  ["POST", "/v1/nothing", "none", "broken", 404, "not_found"],
  ["POST", "/nothing", "all", "large", 404, "not_found"],
  ["PUT", "/v1/keys", "none", "broken", 405, "method_not_allowed"],
  ["PUT", "/v1/keys", "read", "large", 405, "method_not_allowed"],
  ["OPTIONS", "/v1/keys", "none", "none", 405, "method_not_allowed"],
  ["PUT", "/v1/keys/", "none", "none", 405, "method_not_allowed"],
  ["POST", "/v1/keys", "none", "broken", 401, "missing_auth"],
  ["POST", "/v1/keys/", "none", "none", 401, "missing_auth"],
  ["POST", "/v1/keys", "unknown", "large", 401, "invalid_auth"],
  ["POST", "/v1/keys", "read", "broken", 403, "insufficient_permission"],
  ["POST", "/v1/keys", "read", "unfit", 403, "insufficient_permission"],
  ["POST", "/v1/keys", "read", "large", 403, "insufficient_permission"],
  ["POST", "/v1/keys", "all", "large", 413, "body_too_large"],
  ["POST", "/v1/keys", "all", "none", 400, "invalid_body"],
  ["POST", "/v1/keys", "all", "broken", 400, "invalid_body"],
  ["POST", "/v1/keys", "all", "unfit", 400, "invalid_body"],
  // A name is not taken for an id where a path has it.
  ["GET", "/v1/request/query", "none", "none", 405, "method_not_allowed"],
  ["GET", `/v1/datasets/${SOME_ID}/runs/estimate`, "none", "none", 405, "method_not_allowed"],
  ["DELETE", `/v1/datasets/${SOME_ID}/runs/estimate`, "all", "none", 405, "method_not_allowed"],
  ["GET", "/v1/datasets/x/runs/y", "none", "none", 401, "missing_auth"],
  // An empty or an unreadable name is no id.
  ["GET", "/v1/request//body", "none", "none", 404, "not_found"],
  ["GET", "/v1/request/%zz", "none", "none", 404, "not_found"],
  ["PATCH", "/v1/request/%zz", "none", "none", 404, "not_found"],
  ["GET", "/v1/%zz", "none", "none", 404, "not_found"],
  // An endpoint without a body leaves it alone, whatever it is.
  ["DELETE", `/v1/views/${SOME_ID}`, "all", "broken", 404, "not_found"],
  ["DELETE", `/v1/views/${SOME_ID}`, "all", "large", 404, "not_found"],
  ["POST", "/v1/models/none/approve", "all", "broken", 404, "not_found"],
  // One whose body is optional takes none, but no word.
  ["POST", `/v1/keys/${SOME_ID}/rotate`, "all", "none", 404, "not_found"],
  ["POST", `/v1/keys/${SOME_ID}/rotate`, "all", "word", 400, "invalid_body"],
  ["DELETE", "/v1/cache", "all", "word", 400, "invalid_body"],
  ["DELETE", "/v1/cache", "all", "large", 413, "body_too_large"],
])("%s %s with the key %s and the body %s: %i %s", async (method, path, key, body, status, code) => {
  const { json, headers, ...response } = await it.call(method, path, { key: keyOf(key), body: BODIES[body] });
  expect([response.status, json.code]).toEqual([status, code]);
  expect(headers.has("allow")).toBe(status === 405);
  expect(headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test.each<[path: string, Key]>([
  ["/v1/views", "all"],
  ["/v1/keys", "read"],
  ["/v1/keys", "none"],
  ["/v1/keys/nothing/of/it", "all"],
  [`/v1/request/${SOME_ID}`, "all"],
  [`/v1/request/${SOME_ID}/score`, "all"],
  ["/v1/request/query", "all"],
  ["/v1/login/nobody", "none"],
])("HEAD %s with the key %s is GET without its body", async (path, key) => {
  const [got, byKey] = await Promise.all(
    ["GET", "HEAD"].map((method) => {
      const authorization = key === "none" ? undefined : `Bearer ${keyOf(key)}`;
      const headers = { "accept-encoding": "identity", ...(authorization && { authorization }) };
      return fetch(it.origin + path, { method, headers });
    }),
  );
  const body = await got!.text();
  expect([byKey!.status, await byKey!.text()]).toEqual([got!.status, ""]);
  expect(byKey!.headers.get("content-length")).toBe(String(Buffer.byteLength(body)));
  for (const name of ["allow", "www-authenticate", "content-type"])
    expect(byKey!.headers.get(name)).toBe(got!.headers.get(name));
});

test("a page is shown for a failed log-in, and HEAD of it fails alike", async () => {
  const headers = { accept: "text/html" };
  for (const method of ["GET", "HEAD"])
    expect((await fetch(`${it.origin}/v1/login/nobody`, { method, headers })).status).toBe(404);
});

test("each endpoint counts under its own path, and a wrong method as well", async () => {
  await it.call("PUT", "/v1/storage/");
  await it.call("GET", `/v1/views/${SOME_ID}`);
  await it.call("GET", "/v1/none");
  const text = await (await fetch(`${it.origin}/metrics`)).text();
  expect(text).toMatch(/^weir_api_requests_total\{method="PUT",route="\/v1\/storage",status="405"\} 1$/m);
  expect(text).toMatch(/^weir_api_requests_total\{method="GET",route="\/v1\/views\/:id",status="404"\} 1$/m);
  expect(text).toMatch(/^weir_api_requests_total\{method="GET",route="none",status="404"\} \d+$/m);
});

function keyOf(key: Key): string | null {
  return key === "none" ? null : key === "unknown" ? "sk-weir-us-none" : it.keys[key];
}
