import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import rateLimits from "../../plugins/rate-limits.ts";
import type { RequestUsage } from "../../src/plugin-host/contract.ts";
import { assertProperty } from "../chance.ts";
import { ask, COMPLETE, type Opened, openPlugin, REFUSED, type RequestParts } from "./open.ts";

describe("a budget", () => {
  const usage = (tokens: number | null, cost: number | null) => async (ids: readonly string[]) =>
    ids.map((requestId): RequestUsage => ({ requestId, totalTokens: tokens, cost }));
  const spend = async (it: Opened, request: RequestParts) => {
    const { id, status } = await ask(it, request);
    it.hooks.onEnd!({ id, ...(status === 200 ? COMPLETE : REFUSED) });
    return status;
  };

  test.each<[string, number | null, number | null, number[]]>([
    ["100;w=60;u=tokens", 40, null, [200, 200, 200, 429]],
    ["100;w=60;u=cents", null, 0.5, [200, 200, 429]],
    ["100;w=60;u=cents", 40, null, [200, 200, 200, 200]],
    ["100;w=60;u=tokens", null, 1, [200, 200, 200, 200]],
    ["0;w=60;u=tokens", 1, 1, [429]],
  ])(
    "is charged with what the record says, and refuses once it is spent: %s, %p tokens, %p dollars",
    async (policy, tokens, cost, expected) => {
      await using it = await openPlugin(rateLimits, { usageOf: usage(tokens, cost) });
      const found: number[] = [];
      for (const _each of expected) found.push(await spend(it, { policy }));
      expect(found).toEqual(expected);
    },
  );

  test("is not overshot by more than one request, whatever bursts come and whatever requests cost", async () => {
    const bursts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 });
    await assertProperty(
      fc.asyncProperty(
        bursts,
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 120 }),
        async (all, quota, tokens) => {
          await using it = await openPlugin(rateLimits, { usageOf: usage(tokens, null) });
          let spent = 0;
          for (const size of all) {
            const waiting = Array.from({ length: size }, async () => {
              const status = await spend(it, { policy: `${quota};w=3600;u=tokens` });
              if (status === 200) spent += tokens;
            });
            await Promise.all(waiting);
          }
          expect(spent).toBeLessThan(quota + tokens);
        },
      ),
      { numRuns: 15 },
    );
  });

  test.each([
    ["failures", { ...COMPLETE, status: 500 }],
    ["calls that broke off", { ...COMPLETE, status: 502, outcome: "upstream_failed" }],
    ["clients that left", { ...COMPLETE, status: 499, outcome: "client_gone" }],
  ] as const)("is not overshot by a burst that comes after %s", async (_name, end) => {
    const failed = new Set<string>();
    const usageOf = async (ids: readonly string[]) =>
      ids.map((requestId) => ({ requestId, totalTokens: failed.has(requestId) ? null : 600, cost: null }));
    await using it = await openPlugin(rateLimits, { usageOf });
    const policy = "1000;w=3600;u=tokens";
    for (let at = 0; at < 5; at++) {
      const { id, status } = await ask(it, { policy });
      expect(status).toBe(200);
      failed.add(id);
      it.hooks.onEnd!({ id, ...end });
    }
    const burst = await Promise.all(Array.from({ length: 30 }, () => spend(it, { policy })));
    expect(burst.filter((status) => status === 200).length).toBeLessThanOrEqual(2);
  });

  test("that is held whole by a request lets its fallback pass, which counts as a request", async () => {
    await using it = await openPlugin(rateLimits, { usageOf: usage(10, null) });
    const policy = "2;w=60, 5000;w=60;u=tokens";
    const { id } = await ask(it, { policy });
    expect((await ask(it, { policy, fallbackOf: id })).status).toBe(200);
    expect((await ask(it, { policy, fallbackOf: id })).status).toBe(429);
    expect((await ask(it, { policy: "5000;w=60;u=tokens", fallbackOf: id })).response).toBeUndefined();
  });

  test("lets through only what it can pay for while nothing is known of what requests cost", async () => {
    await using it = await openPlugin(rateLimits);
    const all = await Promise.all(Array.from({ length: 20 }, () => ask(it, { policy: "250;w=60;u=cents" })));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(all.find(({ status }) => status === 429)!.response.headers["Retry-After"]).toBe("1");
  });

  test("that others hold is waited for, for a moment", async () => {
    await using it = await openPlugin(rateLimits, { usageOf: usage(10, null) });
    const { id } = await ask(it, { policy: "100;w=60;u=tokens" });
    const second = ask(it, { policy: "100;w=60;u=tokens" });
    it.hooks.onEnd!({ id, ...COMPLETE });
    expect((await second).status).toBe(200);
  });

  test("stays held while usage cannot be read, and is charged once it can", async () => {
    let works = false;
    const called = Promise.withResolvers<void>();
    await using it = await openPlugin(rateLimits, {
      usageOf: async (ids) => {
        called.resolve();
        if (!works) throw new Error("the database is away");
        return usage(10, null)(ids);
      },
    });
    const { id } = await ask(it, { policy: "100;w=60;u=tokens" });
    it.hooks.onEnd!({ id, ...COMPLETE });
    await called.promise;
    expect((await ask(it, { policy: "100;w=60;u=tokens" })).status).toBe(429);
    works = true;
    for (let tries = 0; (await ask(it, { policy: "100;w=60;u=tokens" })).status !== 200; tries++)
      expect(tries).toBeLessThan(20);
  });
});
