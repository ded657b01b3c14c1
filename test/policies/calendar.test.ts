import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import fc from "fast-check";
import { CalendarSpan, SlidingSpan, spanOf } from "../../plugins/rate-limits/span.ts";
import { whyBadPolicy } from "../../plugins/rate-limits/stored.ts";
import { Window } from "../../plugins/rate-limits/window.ts";
import rateLimits from "../../plugins/rate-limits.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import { beginningOf, CALENDARS, periodOf } from "../../src/record/calendar.ts";
import { assertProperty } from "../chance.ts";
import { ask, type Opened, openPlugin, type RequestParts } from "./open.ts";

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu"];

afterEach(() => {
  setSystemTime();
});

test("a period holds its moment, begins where the calendar says, and the next one begins where it ends", () => {
  const time = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) });
  assertProperty(
    fc.property(time, fc.constantFrom(...ZONES), fc.constantFrom(...CALENDARS), (at, zone, calendar) => {
      const { start, end } = periodOf(calendar, zone, at);
      expect(start).toBeLessThanOrEqual(at);
      expect(end).toBeGreaterThan(at);
      expect(beginningOf(calendar, at, zone)).toBe(start);
      expect(beginningOf(calendar, end - 1, zone)).toBe(start);
      expect(beginningOf(calendar, end, zone)).toBe(end);
    }),
    { numRuns: 60 },
  );
});

test("a window by the calendar counts what was counted since the period began, however much that was", () => {
  const gaps = fc.array(fc.oneof(fc.nat(1_000), fc.nat(86_400_000)), { minLength: 1_200, maxLength: 2_500 });
  assertProperty(
    fc.property(gaps, fc.constantFrom(...ZONES), (waits, zone) => {
      const span = new CalendarSpan("day", zone, periodOf);
      const window = new Window();
      let now = Date.UTC(2026, 2, 1);
      let start = 0;
      let plain = 0;
      for (const waitMs of waits) {
        now += waitMs;
        const period = span.outAt(now);
        if (period !== start) plain = 0;
        start = period;
        window.add(now, 1, span);
        plain += 1;
        expect(window.total(now, span)).toBe(plain);
        expect(window.freeAt(now, span, 1)).toBe(period);
      }
    }),
    { numRuns: 5 },
  );
});

test.each([
  [new SlidingSpan(60_000), "in 60 s"],
  [new CalendarSpan("month", "Europe/Berlin", periodOf), "per calendar month (Europe/Berlin)"],
])("a span is restored from the journal: %#", (span, words) => {
  const back = spanOf(JSON.parse(JSON.stringify(span.id)), periodOf);
  expect(back.words).toBe(words);
  const at = Date.UTC(2026, 10, 27);
  expect([back.outAt(at), back.outUntil(at)]).toEqual([span.outAt(at), span.outUntil(at)]);
});

describe("a limit by the calendar", () => {
  const BODY = { name: "monthly", quota: 2, calendar: "month", time_zone: "Europe/Berlin" };
  const make = (it: Opened, body: Json) => it.call("POST", "/v1/rate-limits", {}, body);
  const statuses = async (it: Opened, times: number, request: RequestParts = {}) => {
    const found: number[] = [];
    for (let at = 0; at < times; at++) found.push((await ask(it, request)).status);
    return found;
  };

  test("refuses until the next month begins in its zone, and says when that is", async () => {
    // November ends in Berlin an hour before it ends in UTC.
    setSystemTime(new Date("2026-11-30T22:59:00Z"));
    await using it = await openPlugin(rateLimits);
    expect((await make(it, BODY)).data).toMatchObject({ ...BODY, window_seconds: null });
    const { response: first } = await ask(it, {});
    expect(first.responseHeaders).toMatchObject({
      "gateway-ratelimit-reset": "60",
      "gateway-ratelimit-policy": "2;calendar=month;time_zone=Europe/Berlin;u=request",
    });
    expect(await statuses(it, 1)).toEqual([200]);
    const { response } = await ask(it, {});
    expect(response).toMatchObject({ status: 429, headers: { "Retry-After": "60" } });
    expect(response.message).toContain(
      '"monthly" (2 requests per calendar month (Europe/Berlin)) is exhausted; retry in 60 s',
    );
    expect((await it.call("GET", "/v1/rate-limits")).data).toMatchObject([
      { used: 2, remaining: 0, resets_at: "2026-11-30T23:00:00.000Z" },
    ]);
    setSystemTime(new Date("2026-11-30T23:00:00Z"));
    expect((await it.call("GET", "/v1/rate-limits")).data).toMatchObject([{ used: 0, remaining: 2, resets_at: null }]);
    expect(await statuses(it, 3)).toEqual([200, 200, 429]);
  });

  test("of quota 0 says that the next month may be tried", async () => {
    setSystemTime(new Date("2026-11-30T23:59:00Z"));
    await using it = await openPlugin(rateLimits);
    await make(it, { name: "none", quota: 0, calendar: "month" });
    expect((await ask(it, {})).response).toMatchObject({ status: 429, headers: { "Retry-After": "60" } });
  });

  test("keeps its count over a kill, and begins the next day at 0", async () => {
    setSystemTime(new Date("2026-11-27T09:00:00Z"));
    await using first = await openPlugin(rateLimits);
    await make(first, { ...BODY, calendar: "day" });
    expect(await statuses(first, 1)).toEqual([200]);
    await first.kill();
    setSystemTime(new Date("2026-11-27T22:59:59Z"));
    await using second = await openPlugin(rateLimits, { from: first });
    expect(await statuses(second, 2)).toEqual([200, 429]);
    await second.kill();
    setSystemTime(new Date("2026-11-27T23:00:00Z"));
    await using third = await openPlugin(rateLimits, { from: first });
    expect((await third.call("GET", "/v1/rate-limits")).data).toMatchObject([{ used: 0 }]);
    expect(await statuses(third, 3)).toEqual([200, 200, 429]);
  });

  test("that replaces a window that slides keeps what was counted this month", async () => {
    setSystemTime(new Date("2026-11-30T12:00:00Z"));
    await using it = await openPlugin(rateLimits);
    const { data } = await make(it, { name: "n", quota: 2, window_seconds: 2_592_000 });
    expect(await statuses(it, 1)).toEqual([200]);
    await it.call("PUT", "/v1/rate-limits/:id", { id: data.id }, { ...BODY, time_zone: "UTC" });
    expect(await statuses(it, 2)).toEqual([200, 429]);
    setSystemTime(new Date("2026-12-01T00:00:00Z"));
    expect(await statuses(it, 1)).toEqual([200]);
  });

  test("stands in weir.toml as well", async () => {
    setSystemTime(new Date("2026-11-29T12:00:00Z"));
    const policy = { name: "weekly", quota: 1, calendar: "week" };
    await using it = await openPlugin(rateLimits, { options: { policies: [policy] } });
    expect(await statuses(it, 2)).toEqual([200, 429]);
    setSystemTime(new Date("2026-11-30T00:00:00Z"));
    expect(await statuses(it, 1)).toEqual([200]);
  });

  test.each([
    [{ ...BODY }, undefined],
    [{ ...BODY, time_zone: null }, undefined],
    [{ ...BODY, window_seconds: null }, undefined],
    [{ ...BODY, calendar: "year" }, "calendar"],
    [{ ...BODY, calendar: "constructor" }, "calendar"],
    [{ ...BODY, calendar: 1 }, "calendar"],
    [{ ...BODY, window_seconds: 60 }, "window_seconds"],
    [{ ...BODY, time_zone: "Europe/Atlantis" }, "time_zone"],
    [{ ...BODY, time_zone: 1 }, "time_zone"],
    [{ ...BODY, calendar: null, window_seconds: 60 }, "time_zone"],
    [{ name: "n", quota: 1 }, "window_seconds"],
  ])("is kept, or the member that is wrong is named: %#", (body, path) => {
    expect(whyBadPolicy(body)?.path).toBe(path as string);
  });
});
