import { expect, test } from "bun:test";
import { withMemories } from "../../src/mapping/translate/call-memory.ts";
import type { Prompt } from "../../src/plugin-host/contract.ts";
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

test("a call may be named like a member of every object", () => {
  const states = new CallStates();
  states.note("org", new Map([["__proto__", { ...memory, name: "now" }]]));
  const found = states.of("org", ["__proto__", "name", "constructor"]);
  expect([Object.keys(found), Object.getPrototypeOf(found)]).toEqual([["__proto__"], Object.prototype]);
  const parts = ["__proto__", "constructor", "name"].map(
    (id) => ({ type: "call", id, name: "now", arguments: "" }) as const,
  );
  const prompt = { messages: [{ role: "assistant", parts }] } as unknown as Prompt;
  const [message] = withMemories(prompt, found, "google").messages;
  expect(message!.parts).toEqual([{ ...parts[0]!, state: memory.state }, ...parts.slice(1)]);
});

test("state that arrives late with another node's record is used", () => {
  const states = new CallStates();
  states.noteMissed("org", ["call_1"]);
  states.note("org", new Map([["call_1", memory]]));
  expect(states.unknown("org", ["call_1"])).toEqual([]);
  expect(states.of("org", ["call_1"])).toEqual({ call_1: memory });
});
