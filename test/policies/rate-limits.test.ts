import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import fc from "fast-check";
import rateLimits from "../../plugins/rate-limits.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import { assertProperty } from "../chance.ts";
import { until } from "../until.ts";
import { ask, COMPLETE, type Opened, openPlugin, REFUSED, type RequestParts, requestOf } from "./open.ts";

// What is left of a window does not depend on how fast a test is.
beforeEach(() => void setSystemTime(new Date("2026-11-29T12:00:00Z")));
afterEach(() => void setSystemTime());

const statuses = async (it: Opened, times: number, request: RequestParts) => {
  const found: number[] = [];
  for (let at = 0; at < times; at++) found.push((await ask(it, request)).status);
  return found;
};

describe("a policy of a header", () => {
  test("admits its quota, returns the rest, and refuses with the rule and the time to wait", async () => {
    await using it = await openPlugin(rateLimits);
    const first = await ask(it, { policy: "2;w=60" });
    expect(first.response.responseHeaders).toEqual({
      "gateway-ratelimit-limit": "2",
      "gateway-ratelimit-remaining": "1",
      "gateway-ratelimit-reset": "60",
      "gateway-ratelimit-policy": "2;w=60",
    });
    await ask(it, { policy: "2;w=60" });
    const { response } = await ask(it, { policy: "2;w=60" });
    expect(response).toMatchObject({ status: 429, code: "rate_limited" });
    expect(response.message).toContain('"2;w=60"');
    expect(response.headers).toMatchObject({ "Retry-After": "60", "gateway-ratelimit-remaining": "0" });
  });

  test.each<[string, RequestParts, RequestParts, boolean]>([
    ["two organizations", { organizationId: "a" }, { organizationId: "b" }, true],
    ["two keys of one organization", { keyId: "a" }, { keyId: "b" }, false],
    [
      "two users, where it is by user",
      { userId: "a", policy: "1;w=60;s=user" },
      { userId: "b", policy: "1;w=60;s=user" },
      true,
    ],
    ["two users, where it is not", { userId: "a" }, { userId: "b" }, false],
    [
      "two values of a property",
      { properties: { T: "a" }, policy: "1;w=60;s=T" },
      { properties: { T: "b" }, policy: "1;w=60;s=T" },
      true,
    ],
    ["two quotas", { policy: "1;w=60" }, { policy: "2;w=60" }, true],
    ["two windows", { policy: "1;w=60" }, { policy: "1;w=61" }, true],
    ["two spellings of the same", { policy: "1;w=60" }, { policy: " 1 ; u=request; w=60" }, false],
  ])("counts separately or together: %s", async (_name, one, other, apart) => {
    await using it = await openPlugin(rateLimits);
    expect((await ask(it, { policy: "1;w=60", ...one })).status).toBe(200);
    expect((await ask(it, { policy: "1;w=60", ...other })).status).toBe(apart ? 200 : 429);
  });

  test.each<[RequestParts, string]>([
    [{ policy: "oops" }, "Gateway-RateLimit-Policy"],
    [{ policy: "1;w=60;s=user" }, "Gateway-User-Id"],
    [{ policy: "1;w=60;s=user", userId: "" }, "Gateway-User-Id"],
    [{ policy: "1;w=60;s=Team", userId: "u" }, "Gateway-Property-Team"],
    [{ policy: "1;w=60;s=Team", properties: { Other: "x" } }, "Gateway-Property-Team"],
    [{ policy: "1;w=60;s=constructor" }, "Gateway-Property-constructor"],
  ])("that cannot be applied is 400 and says why: %#", async (request, word) => {
    await using it = await openPlugin(rateLimits);
    const { status, response } = await ask(it, request);
    expect([status, response.code]).toEqual([400, "invalid_header"]);
    expect(response.message).toContain(word);
  });

  test("finds a property whose name lost its case on the way", async () => {
    await using it = await openPlugin(rateLimits);
    for (const [segment, name] of [
      ["Team", "team"],
      ["mood", "Mood"],
    ] as const) {
      const parts = { policy: `1;w=60;s=${segment}`, properties: { other: "x", [name]: "a" } };
      expect(await statuses(it, 2, parts)).toEqual([200, 429]);
    }
  });

  test.each([
    ["1;w=60", "(1 request in 60 s)"],
    ["0;w=60", "(0 requests in 60 s)"],
    ["0;w=60;u=tokens", "(0 tokens in 60 s)"],
  ])("says what is spent in plain words: %s", async (policy, words) => {
    await using it = await openPlugin(rateLimits);
    await ask(it, { policy });
    expect((await ask(it, { policy })).response.message).toContain(words);
  });

  test("of quota 0 refuses all", async () => {
    await using it = await openPlugin(rateLimits);
    expect(await statuses(it, 3, { policy: "0;w=60" })).toEqual([429, 429, 429]);
  });

  test("of several refuses where one is spent, and then counts under none", async () => {
    await using it = await openPlugin(rateLimits);
    expect(await statuses(it, 3, { policy: "1;w=60, 3;w=60;s=user", userId: "u" })).toEqual([200, 429, 429]);
    expect(await statuses(it, 3, { policy: "3;w=60;s=user", userId: "u" })).toEqual([200, 200, 429]);
  });

  test("shows the policy with the smallest share left", async () => {
    await using it = await openPlugin(rateLimits);
    const { response } = await ask(it, { policy: "100;w=60,2;w=60;s=user", userId: "u" });
    expect(response.responseHeaders["gateway-ratelimit-policy"]).toBe("2;w=60;s=user");
  });

  test("counts nothing for a request that is refused elsewhere or was never sent", async () => {
    await using it = await openPlugin(rateLimits);
    for (const end of [REFUSED, { status: 499, outcome: "client_gone", forwarded: false } as const]) {
      const { id } = await ask(it, { policy: "1;w=60" });
      it.hooks.onEnd!({ id, ...end });
    }
    expect(await statuses(it, 2, { policy: "1;w=60" })).toEqual([200, 429]);
  });

  test("of ever new users is refused once too many are counted, and only the organization that does so", async () => {
    await using it = await openPlugin(rateLimits);
    for (let at = 0; at < 50_000; at++) it.hooks.onForward!(requestOf({ policy: "1;w=60;s=user", userId: `u${at}` }));
    expect(await ask(it, { policy: "1;w=60;s=user", userId: "one more" })).toMatchObject({
      status: 429,
      response: { code: "rate_limited" },
    });
    expect((await ask(it, { policy: "1;w=60;s=user", userId: "u1" })).status).toBe(429);
    expect((await ask(it, { policy: "1;w=60;s=user", userId: "x", organizationId: "other" })).status).toBe(200);
  });

  test("has the window that a plain model has, whatever the requests", async () => {
    const steps = fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.boolean()), { minLength: 1, maxLength: 60 });
    await assertProperty(
      fc.asyncProperty(steps, fc.nat(10), async (all, quota) => {
        await using it = await openPlugin(rateLimits);
        const counted: Record<string, number> = { a: 0, b: 0 };
        for (const [userId, isRefusedElsewhere] of all) {
          const { id, status } = await ask(it, { policy: `${quota};w=3600;s=user`, userId });
          expect(status).toBe(counted[userId]! < quota ? 200 : 429);
          if (status === 200 && !isRefusedElsewhere) counted[userId]! += 1;
          it.hooks.onEnd!({ id, ...(isRefusedElsewhere || status === 429 ? REFUSED : COMPLETE) });
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe("the list of rate limits", () => {
  const make = async (it: Opened, body: Json) =>
    (await it.call("POST", "/v1/rate-limits", {}, { name: "n", quota: 5, window_seconds: 60, ...body })).data;
  const list = async (it: Opened, who: Json = {}) => (await it.call("GET", "/v1/rate-limits", {}, undefined, who)).data;

  test("shows how much of each is used, and when some of it is available again", async () => {
    await using it = await openPlugin(rateLimits);
    await make(it, {});
    expect(await list(it)).toMatchObject([{ used: 0, remaining: 5, resets_at: null }]);
    const started = Date.now();
    await statuses(it, 3, {});
    const [row] = await list(it);
    expect(row).toMatchObject({ used: 3, remaining: 2 });
    expect(Date.parse(row.resets_at)).toBeGreaterThanOrEqual(started + 60_000);
    expect(row).not.toHaveProperty("segments");
  });

  test("shows the users that used most of one that counts by user, of the caller's organization alone", async () => {
    await using it = await openPlugin(rateLimits, {
      options: { policies: [{ name: "all", quota: 5, window_seconds: 60, segment: "user" }] },
    });
    await statuses(it, 2, { userId: "a b" });
    await statuses(it, 4, { userId: "<b>bold</b>" });
    await statuses(it, 5, { userId: "theirs", organizationId: "org-2" });
    expect(await list(it)).toMatchObject([
      {
        used: 4,
        remaining: 1,
        segments_total: 2,
        segments: [
          { segment: "<b>bold</b>", used: 4, remaining: 1 },
          { segment: "a b", used: 2, remaining: 3 },
        ],
      },
    ]);
    expect(await list(it, { organizationId: "org-2" })).toMatchObject([{ segments: [{ segment: "theirs", used: 5 }] }]);
  });

  test("shows the twenty that used most, of however many there are, and lets requests pass meanwhile", async () => {
    await using it = await openPlugin(rateLimits);
    await make(it, { segment: "user", quota: 100 });
    const users = Array.from({ length: 5_000 }, (_, at) => `u${String(at).padStart(4, "0")}`);
    for (const userId of users) it.hooks.onForward!(requestOf({ userId }));
    for (let at = 0; at < 30; at++)
      for (let more = 0; more <= at; more++) it.hooks.onForward!(requestOf({ userId: users[at * 7]! }));
    let turns = 0;
    const turn = () => {
      turns += 1;
      if (turns < 1_000) setImmediate(turn);
    };
    setImmediate(turn);
    const [row] = await list(it);
    expect(turns).toBeGreaterThanOrEqual(2);
    expect(row).toMatchObject({ used: 31, segments_total: 5_000 });
    expect(row.segments.map(({ segment }: Json) => segment)).toEqual(
      Array.from({ length: 20 }, (_, at) => users[(29 - at) * 7]!),
    );
  });

  test("distinguishes policies and segments whose names begin alike", async () => {
    await using it = await openPlugin(rateLimits);
    await make(it, { segment: "user", quota: 9 });
    await make(it, { quota: 9 });
    await statuses(it, 1, { userId: "a" });
    await statuses(it, 2, { userId: "a request b" });
    const [byUser, whole] = await list(it);
    expect(byUser.segments.map(({ segment, used }: Json) => [segment, used])).toEqual([
      ["a request b", 2],
      ["a", 1],
    ]);
    expect(whole).toMatchObject({ used: 3, remaining: 6 });
  });

  test("shows a budget in its own unit, once it is charged", async () => {
    await using it = await openPlugin(rateLimits, {
      usageOf: async (ids) => ids.map((requestId) => ({ requestId, totalTokens: 7, cost: 0.1 })),
    });
    await make(it, { unit: "cents", quota: 100 });
    const { id } = await ask(it, {});
    it.hooks.onEnd!({ id, ...COMPLETE });
    await until(async () => (await list(it))[0].used > 0);
    expect(await list(it)).toMatchObject([{ used: 10, remaining: 90 }]);
  });
});

describe("a policy of one key", () => {
  const keys = { "key-1": "org-1", "key-2": "org-2" };
  const body = (key_id: string) => ({ name: "n", quota: 0, window_seconds: 60, key_id });

  test.each([
    ["a key of the caller's organization", "key-1", {}, true],
    ["a key of another one, by the operator", "key-2", {}, true],
    ["a key of another one, by anybody else", "key-2", { operator: false }, false],
    ["a key of the caller's organization, by anybody", "key-1", { operator: false }, true],
    ["a key that is not there", "key-3", {}, false],
  ])("can name %s or not", async (_name, keyId, who, may) => {
    await using it = await openPlugin(rateLimits, { keys });
    const made = await it.call("POST", "/v1/rate-limits", {}, body(keyId), who);
    if (may) expect(made.data.key_id).toBe(keyId);
    else expect(made).toEqual({ status: 400, path: "key_id", message: expect.stringContaining("GET /v1/keys") });
    expect((await ask(it, { keyId, organizationId: keyId === "key-2" ? "org-2" : "org-1" })).status).toBe(
      may ? 429 : 200,
    );
  });

  test("of weir.toml that names an unknown key is reported", async () => {
    await using it = await openPlugin(rateLimits, {
      keys,
      options: { policies: [body("key-1"), { ...body("key-9"), name: "late" }] },
    });
    expect(it.log.filter((line) => line.includes("applies to nothing"))).toHaveLength(1);
    expect(it.log.join()).toContain('\\"late\\"');
  });
});

describe("after a kill", () => {
  test("counted, returned, reserved and charged amounts are restored", async () => {
    const usage = async (ids: readonly string[]) =>
      ids.map((requestId) => ({ requestId, totalTokens: 60, cost: null }));
    await using first = await openPlugin(rateLimits, { usageOf: usage });
    await ask(first, { policy: "3;w=600" });
    const { id } = await ask(first, { policy: "3;w=600" });
    first.hooks.onEnd!({ id, ...REFUSED });
    // In flight when the process dies: its record will say what it used.
    await ask(first, { policy: "100;w=600;u=tokens" });
    await first.kill();

    await using second = await openPlugin(rateLimits, { from: first, usageOf: usage });
    expect(await statuses(second, 3, { policy: "3;w=600" })).toEqual([200, 200, 429]);
    const { response } = await ask(second, { policy: "100;w=600;u=tokens" });
    expect(response.responseHeaders["gateway-ratelimit-remaining"]).toBe("40");
  });

  test("a journal that was written again says the same", async () => {
    await using first = await openPlugin(rateLimits);
    for (let at = 0; at < 30_000; at++) {
      const { id } = await ask(first, { policy: "2;w=600;s=user", userId: `u${at % 7}` });
      if (at % 7 !== 0 || at > 7) first.hooks.onEnd!({ id, ...REFUSED });
      if (at % 1_000 === 0) await first.kill();
    }
    await first.kill();
    await using second = await openPlugin(rateLimits, { from: first });
    expect(await statuses(second, 2, { policy: "2;w=600;s=user", userId: "u0" })).toEqual([429, 429]);
    expect(await statuses(second, 3, { policy: "2;w=600;s=user", userId: "u1" })).toEqual([200, 200, 429]);
  });
});
