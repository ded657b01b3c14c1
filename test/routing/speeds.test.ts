import { expect, test } from "bun:test";
import { Speeds } from "../../src/routing/speeds.ts";

const TOTAL = { totalMs: 100 };

test("a response whose tokens its record says counts once the record is there", () => {
  const speeds = new Speeds();
  for (let at = 0; at < 5; at++) speeds.note("x", { ...TOTAL, requestId: `r${at}` }, at);
  expect([speeds.of("x", false, 10), speeds.medianOutput("x", 10)]).toEqual([0, undefined]);
  for (let at = 0; at < 5; at++) speeds.noteTokens(`r${at}`, 50, at);
  expect([speeds.of("x", false, 10), speeds.medianOutput("x", 10)]).toEqual([2, 50]);
});

test("the first token of such a stream is known at once, and its tokens are no second sample", () => {
  const speeds = new Speeds();
  for (let at = 0; at < 5; at++) speeds.note("x", { ...TOTAL, firstTokenMs: 7, requestId: `r${at}` }, at);
  expect(speeds.of("x", true, 10)).toBe(7);
  for (let at = 0; at < 5; at++) speeds.noteTokens(`r${at}`, 50, at);
  expect([speeds.of("x", true, 10), speeds.of("x", false, 10), speeds.medianOutput("x", 10)]).toEqual([7, 0, 50]);
});

test("tokens of an abandoned request change nothing", () => {
  const speeds = new Speeds();
  speeds.noteTokens("other", 50, 1);
  expect(speeds.medianOutput("x", 10)).toBeUndefined();
});

test("the samples of the last 1,000 requests wait for their tokens, not those of all", () => {
  const speeds = new Speeds();
  for (let at = 0; at < 3_000; at++) speeds.note("x", { ...TOTAL, requestId: `r${at}` }, 0);
  for (let at = 2_000; at < 3_000; at++) speeds.noteTokens(`r${at}`, 50, 0);
  expect(speeds.medianOutput("x", 10)).toBe(50);
  speeds.noteTokens("r0", 7, 0);
  for (let at = 0; at < 999; at++) speeds.noteTokens(`r${at}`, 7, 0);
  expect(speeds.medianOutput("x", 10)).toBe(50);
});
