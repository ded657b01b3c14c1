import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../src/plugin-host/contract.ts";
import { askDemo, leftOf, startDemo } from "./demo.ts";
import { programCommand, until } from "./weir.ts";

test("the demonstration shows a week of requests, takes another, and leaves nothing behind", async () => {
  await using demo = await startDemo(programCommand());
  expect(leftOf(demo)).toHaveLength(1);
  const all = { filter: "all", limit: 1_000 };
  let rows: readonly Json[] = [];
  await until(async () => {
    rows = await askDemo(demo, "/v1/request/query-fast", all);
    const isJudged = rows.some((row) => "helpful" in row.scores) && rows.some((row) => row.feedback_rating === true);
    return rows.length === demo.count && isJudged;
  });
  // Each page has something to show: scores with reasons of two versions of a prompt, and a dataset of the worst responses.
  const judged = { filter: { request_response_rmt: { prompt_id: { equals: "tutor" } } }, limit: 10 };
  await until(async () => (await askDemo(demo, "/v1/score/query", judged)).length === 2, 180_000);
  const split = { ...judged, group_by: ["prompt_version"], scores: ["helpful", "faithful"], latencies: false };
  await until(async () => {
    const versions: readonly Json[] = await askDemo(demo, "/v1/metrics/query", split);
    return (
      versions.length === 2 && versions.every(({ scores }) => scores.helpful.count > 0 && scores.faithful.count > 0)
    );
  });
  const lists = await fetch(`${demo.api}/v1/datasets`, { headers: { authorization: `Bearer ${demo.key}` } });
  expect((await lists.json()).data).toMatchObject([{ name: "least helpful", items: 12 }]);
  const providers = new Set(rows.map(({ provider }) => provider));
  for (const provider of ["OPENAI", "ANTHROPIC", "GOOGLE", "MISTRAL", "CUSTOM"]) expect(providers).toContain(provider);
  const has = (what: string, fits: (row: Json) => boolean) => expect([what, rows.some(fits)]).toEqual([what, true]);
  has("a stream", (row) => row.streamed && row.time_to_first_token > 0);
  has("an agent's session", (row) => row.session_id === "trip-2207" && row.session_path === "/answer");
  has("a cached response", (row) => row.cached && row.cache_reference_id !== null);
  has("a provider's error", (row) => row.response_status === 529);
  has("a refusal of Weir's own", (row) => row.outcome === "refused" && row.response_status === 429);
  has("tokens of thinking", (row) => row.reasoning_tokens > 0);
  has("a picture", (row) => row.assets.length > 0);
  has("feedback", (row) => row.feedback_rating === true);
  // Every response of a provider is read: tokens, model and cost are known.
  const whole = rows.filter((row) => row.response_status === 200 && row.request_path !== "/v1/embeddings");
  const unread = whole.filter((row) => row.total_tokens === null || row.cost === null || row.unread !== null);
  expect(unread).toEqual([]);

  const response = await fetch(`http://127.0.0.1:${demo.gatewayPort}/v1/chat/completions`, {
    method: "POST",
    headers: { "gateway-auth": `Bearer ${demo.key}`, "gateway-target-url": "http://echo.weir.internal" },
    body: JSON.stringify({ messages: [{ role: "user", content: "Hello" }] }),
  });
  expect((await response.json()).choices[0].message.content).toBe("Hello");
  await until(async () => (await askDemo(demo, "/v1/request/count/query", { filter: "all" })) === demo.count + 1);

  expect(await demo.stop()).toBe(0);
  expect(leftOf(demo)).toEqual([]);
  expect(demo.output()).not.toContain('"warn"');
}, 300_000);

test("a directory of one's own is kept; one that holds something is refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-demo-kept-"));
  try {
    {
      await using demo = await startDemo(programCommand(), ["--data-dir", join(folder, "kept")]);
      expect(await demo.stop()).toBe(0);
      expect(leftOf(demo)).toEqual([]);
      expect(readdirSync(join(folder, "kept"))).toContain("weir.db");
    }
    writeFileSync(join(folder, "mine"), "");
    const refused = startDemo(programCommand(), ["--data-dir", folder]);
    await expect(refused).rejects.toThrow("is not empty; the demonstration needs a directory of its own");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);
