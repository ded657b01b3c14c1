import { afterAll, beforeAll, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { openApi, type TestApi } from "./open.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi();
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

/** A response as it was sent: the runtime would take the coding off. */
async function ask(path: string, accepted: string, method = "GET") {
  const headers = { "accept-encoding": accepted, authorization: `Bearer ${it.keys.all}` };
  const response = await fetch(it.origin + path, { method, headers, decompress: false });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { bytes, coding: response.headers.get("content-encoding"), vary: response.headers.get("vary") };
}

/** A response that is long enough. */
const LONG = "/openapi.json";
const plain = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test.each([
  ["zstd", "gzip, deflate, br, zstd", zstdDecompressSync],
  ["gzip", "gzip, deflate, br", gunzipSync],
  ["gzip", "zstd;q=0, gzip;q=0.1", gunzipSync],
  ["br", "GZIP; q=0.0, BR", brotliDecompressSync],
])("a long response is sent as %s to a client that takes %s", async (coding, accepted, decompress) => {
  const whole = await ask(LONG, "identity");
  const sent = await ask(LONG, accepted);
  expect([sent.coding, sent.vary]).toEqual([coding, "accept-encoding"]);
  expect(sent.bytes.byteLength).toBeLessThan(whole.bytes.byteLength / 3);
  expect(plain(decompress(sent.bytes))).toBe(plain(whole.bytes));
});

test.each(["identity", "deflate", "gzip;q=0, *;q=0"])("it is sent as it is to one that takes %s", async (accepted) => {
  const sent = await ask(LONG, accepted);
  expect(sent.coding).toBeNull();
  expect(JSON.parse(plain(sent.bytes)).openapi).toStartWith("3.");
});

test("a short response, a failure and one without a body are left alone", async () => {
  for (const [path, method] of [
    ["/healthz", "GET"],
    ["/v1/nothing", "GET"],
    [LONG, "HEAD"],
  ] as const) {
    expect((await ask(path, "gzip, zstd", method)).coding).toBeNull();
  }
});
