import { expect, test } from "bun:test";
import { CallStates } from "../../src/unified/call-states.ts";

const memory = { state: { issuer: "google", kind: "signature", value: "s" } } as const;

test("a call that no record has is looked up again until its record can no longer be on its way", () => {
  const states = new CallStates();
  const unknown = () => states.unknown("org", ["call_1"]);
  const start = 1_000_000;
  states.noteMissed("org", ["call_1"], start);
  expect(unknown()).toEqual(["call_1"]);
  states.noteMissed("org", ["call_1"], start + 29_000);
  expect(unknown()).toEqual(["call_1"]);
  states.noteMissed("org", ["call_1"], start + 31_000);
  expect(unknown()).toEqual([]);
  expect(states.unknown("other", ["call_1"])).toEqual(["call_1"]);
});

test("state that another node's record brings late counts", () => {
  const states = new CallStates();
  states.noteMissed("org", ["call_1"]);
  states.note("org", new Map([["call_1", memory]]));
  expect(states.unknown("org", ["call_1"])).toEqual([]);
  expect(states.of("org", ["call_1"])).toEqual({ call_1: memory });
});
