import { expect, test } from "bun:test";
import { ChoiceMemory } from "../../src/routing/choice-memory.ts";
import type { Choice } from "../../src/routing/resolve.ts";

const choice = (): readonly Choice[] => [
  { resolvedBy: "provider groq", route: undefined, strategy: "order", members: [] },
];
const [tables, providers, key] = [{}, {}, {}];
const under = [tables, providers];

test("a model string of a key means the same until something changes that it depends on", () => {
  const memory = new ChoiceMemory();
  const first = memory.of({ key, model: "groq/m", under }, choice);
  expect(memory.of({ key, model: "groq/m", under: [...under] }, choice)).toBe(first);
  expect(memory.of({ key, model: "groq/n", under }, choice)).not.toBe(first);
  expect(memory.of({ key: {}, model: "groq/m", under }, choice)).not.toBe(first);
  expect(memory.of({ key, model: "groq/m", under }, choice)).toBe(first);
  expect(memory.of({ key, model: "groq/m", under: [{}, providers] }, choice)).not.toBe(first);
  expect(memory.of({ key, model: "groq/m", under }, choice)).not.toBe(first);
});

test("an error is not remembered", () => {
  const memory = new ChoiceMemory();
  const refuse = () => {
    throw new Error("no such model");
  };
  expect(() => memory.of({ key, model: "x", under }, refuse)).toThrow("no such model");
  expect(memory.of({ key, model: "x", under }, choice)).toHaveLength(1);
});
