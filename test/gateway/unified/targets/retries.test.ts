import { expect, test } from "bun:test";
import { retryWaitMs } from "../../../../src/gateway/unified/call/step.ts";
import { at, chatResponse, json, KEY, standIn, startUnified } from "../house.ts";

test("retries that the request sets wait as in pass-through, those of a route do not", () => {
  const plan = { triesMax: 6, waitMs: 1_000, factor: 2, waitMsMax: 3_000, fallbacks: [] };
  const failure = { status: 503, kind: "status", reason: "503" } as const;
  expect([0, 1, 2, 3].map((retry) => retryWaitMs(plan, retry, failure))).toEqual([0, 1_000, 2_000, 3_000]);
  expect(retryWaitMs(plan, 1, { ...failure, restMs: 2_500 })).toBe(2_500);
  expect(retryWaitMs(undefined, 1, { ...failure, restMs: 2_500 })).toBe(0);
});

test.each([
  ["no wait", {}, 2],
  ["a wait that is allowed", { "retry-after-ms": "20" }, 2],
  ["a wait that is too long", { "retry-after-ms": "60" }, 1],
])("a provider that requests %s", async (_what, headers, calls) => {
  const times: number[] = [];
  await using provider = standIn(() => {
    times.push(performance.now());
    return json({ error: { message: "slow down" } }, 429, headers as Record<string, string>);
  });
  await using second = standIn(() => json(chatResponse("good")));
  await using gateway = await startUnified({
    credentials: [at("OPENAI", provider.origin), at("GROQ", second.origin)],
  });
  const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${KEY}`,
      ...{ "Gateway-Retry-Enabled": "true", "Gateway-Retry-Num": "1" },
      ...{ "Gateway-Retry-Min-Timeout": "40", "Gateway-Retry-Max-Timeout": "50" },
    },
    body: JSON.stringify({ model: "openai/a,groq/b", messages: [{ role: "user", content: "x" }] }),
  });
  expect([response.status, response.headers.get("gateway-attempts")]).toEqual([200, `${calls + 1}`]);
  expect(times).toHaveLength(calls);
  if (calls === 2) expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(39);
});
