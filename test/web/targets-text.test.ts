import { expect, test } from "bun:test";
import { readTargets, targetsText } from "../../src/web/pages/routes/targets-text.ts";

test("targets are edited as lines and read back as they were", () => {
  const targets = [
    { model: "groq/x", weight: 1 },
    { model: "openai/y", weight: 0 },
    { model: "azure/z", weight: 1, on: [429] },
  ];
  const text = targetsText(targets);
  expect(text).toBe('groq/x\n{"model":"openai/y","weight":0}\n{"model":"azure/z","weight":1,"on":[429]}');
  expect(readTargets(`\n${text}\n\n`)).toEqual(["groq/x", targets[1], targets[2]]);
});

test("a line that is broken JSON stays a text, for the API to refuse", () => {
  expect(readTargets('{"model":\n a ')).toEqual(['{"model":', "a"]);
});
