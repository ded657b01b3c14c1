import { expect, test } from "bun:test";
import { ContentReader } from "../../../src/gateway/body/content-reader.ts";
import { type Claim, ResponseCache } from "../../../src/gateway/cache/response-cache.ts";
import type { CacheSettings } from "../../../src/gateway/cache/settings.ts";
import { createLog } from "../../../src/log.ts";
import { temporaryDirectory } from "../../directory.ts";

const ORIGIN = { organizationId: "org", requestId: "request", model: undefined, properties: {} };
const ANSWER = { status: 200, reason: "OK", headers: [], chunks: [Buffer.from("deep")] };

function settings(ageMsMax: number | undefined): CacheSettings {
  return { read: true, save: true, keepMs: 60_000, ageMsMax, seed: "", bucketSize: 1, ignoredKeys: [] };
}

test.each<[string, number | undefined, Claim["kind"]]>([
  ["nobody named an age", undefined, "hit"],
  ["a minute is allowed", 60_000, "hit"],
  ["no age is allowed, even if it was stored in the same millisecond", 0, "lead"],
])("a stored response is given as the request allows: %s", async (_name, ageMsMax, kind) => {
  using directory = temporaryDirectory("age");
  const limits = { bytesMax: 1_000_000, entriesMax: 1_000, entryBytesMax: 1_000, headMsMax: 1_000 };
  const cache = new ResponseCache({
    content: new ContentReader(),
    directory: directory.path,
    log: createLog({ level: "error", format: "json" }),
    ...limits,
  });
  for (let turn = 0; turn < 50; turn++) {
    const key = `key-${turn}`;
    cache.store.put({ key, place: 0, keepMs: 60_000 }, ANSWER, ORIGIN);
    const question = { key, settings: settings(ageMsMax), origin: ORIGIN, provider: undefined, omitResponse: false };
    expect(cache.claim({ ...question, retries: "" }).kind).toBe(kind);
  }
  await cache.close();
});
