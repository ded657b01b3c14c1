import { expect, test } from "bun:test";
import fc from "fast-check";
import { beginningOf, CALENDARS, isTimeZone } from "../../src/record/calendar.ts";
import { assertProperty } from "../chance.ts";

test.each([
  ["a day in UTC", "day", "2026-03-01T12:00:00Z", "UTC", "2026-03-01T00:00:00.000Z"],
  ["its first millisecond", "day", "2026-03-01T00:00:00Z", "UTC", "2026-03-01T00:00:00.000Z"],
  ["the last one before it", "day", "2026-02-28T23:59:59.999Z", "UTC", "2026-02-28T00:00:00.000Z"],
  ["a day east of UTC", "day", "2026-03-01T22:30:00Z", "Asia/Tokyo", "2026-03-01T15:00:00.000Z"],
  ["a day west of UTC", "day", "2026-03-01T03:00:00Z", "America/New_York", "2026-02-28T05:00:00.000Z"],
  ["a week begins on Monday", "week", "2026-03-01T12:00:00Z", "UTC", "2026-02-23T00:00:00.000Z"],
  ["a Monday begins its own", "week", "2026-02-23T00:00:00Z", "UTC", "2026-02-23T00:00:00.000Z"],
  ["a month over a change of clocks", "month", "2026-03-31T12:00:00Z", "Europe/Berlin", "2026-02-28T23:00:00.000Z"],
  [
    "the day on which clocks are put forward",
    "day",
    "2026-03-29T12:00:00Z",
    "Europe/Berlin",
    "2026-03-28T23:00:00.000Z",
  ],
  ["a day that begins at one o'clock", "day", "2018-11-04T15:00:00Z", "America/Sao_Paulo", "2018-11-04T03:00:00.000Z"],
  ["a half hour", "day", "2026-03-01T12:00:00Z", "Asia/Kolkata", "2026-02-28T18:30:00.000Z"],
] as const)("%s", (_name, calendar, time, zone, beginning) => {
  expect(new Date(beginningOf(calendar, Date.parse(time), zone)).toISOString()).toBe(beginning);
});

test("what begins is the first moment with a date in it, wherever", () => {
  const zones = [
    "UTC",
    "Europe/Berlin",
    "America/Sao_Paulo",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "Africa/Cairo",
  ];
  const dateIn = (time: number, zone: string) => new Date(time).toLocaleDateString("sv", { timeZone: zone });
  assertProperty(
    fc.property(
      fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2040, 0, 1) }),
      fc.constantFrom(...zones),
      fc.constantFrom(...CALENDARS),
      (time, zone, calendar) => {
        const from = beginningOf(calendar, time, zone);
        expect(from).toBeLessThanOrEqual(time);
        expect(beginningOf(calendar, from, zone)).toBe(from);
        expect(dateIn(from - 1, zone) < dateIn(from, zone)).toBe(true);
        const day = new Date(`${dateIn(from, zone)}T00:00:00Z`);
        if (calendar === "day") expect(dateIn(from, zone)).toBe(dateIn(time, zone));
        // Samoa left a day out, which may have been a Monday.
        if (calendar === "week" && zone !== "Pacific/Apia") expect(day.getUTCDay()).toBe(1);
        if (calendar === "month") expect(day.getUTCDate()).toBe(1);
      },
    ),
  );
});

test("names of zones", () => {
  expect(["UTC", "Europe/Berlin", "Mars/Olympus", ""].map(isTimeZone)).toEqual([true, true, false, false]);
});
