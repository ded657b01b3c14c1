import { expect, test } from "bun:test";
import { type Departing, Departures } from "../../src/gateway/departures.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Departures that record what is done to responses and spool. */
function watched() {
  const done: string[] = [];
  const departures = new Departures({
    atTurnEnd: (work) => void setImmediate(work),
    flush: () => void done.push("flush"),
  });
  const departing = (name: string, more: Partial<Departing> = {}): Departing => ({
    finish: () => done.push(`finish ${name}`) > 0,
    depart: () => void done.push(`depart ${name}`),
    ...more,
  });
  return { done, departures, departing: departing };
}

test("the responses of one turn leave after one write, which holds the ends of all", async () => {
  const { done, departures, departing } = watched();
  departures.add(departing("a"));
  departures.add(departing("b"));
  expect(done).toEqual([]);
  await nextTurn();
  expect(done).toEqual(["finish a", "finish b", "flush", "depart a", "depart b"]);
  departures.add(departing("c"));
  await nextTurn();
  expect(done.slice(5)).toEqual(["finish c", "flush", "depart c"]);
});

test("the responses of one turn end at one time", async () => {
  const { departures, departing } = watched();
  const times: number[] = [];
  for (const name of ["a", "b", "c"]) departures.add(departing(name, { finish: (nowMs) => times.push(nowMs) > 0 }));
  const before = performance.now();
  await nextTurn();
  expect(times).toEqual([times[0]!, times[0]!, times[0]!]);
  expect(times[0]).toBeWithin(before, performance.now());
});

test("a response that has ended otherwise meanwhile does not leave, the others do", async () => {
  const { done, departures, departing } = watched();
  departures.add(departing("gone", { finish: () => false }));
  departures.add(departing("a"));
  await nextTurn();
  expect(done).toEqual(["finish a", "flush", "depart a"]);
});

test("a response that becomes whole while others leave goes with the next turn", async () => {
  const { done, departures, departing } = watched();
  const next = departing("b");
  departures.add(departing("a", { depart: () => departures.add(next) }));
  await nextTurn();
  await nextTurn();
  expect(done).toEqual(["finish a", "flush", "finish b", "flush", "depart b"]);
});
