import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { JudgeScore } from "../../../src/store/judges/judge-rule.ts";
import { readVerdict, Unreadable } from "../../../src/store/judges/verdict.ts";
import { assertProperty } from "../../chance.ts";

const number: JudgeScore = { name: "helpful", kind: "number" };
const boolean: JudgeScore = { name: "polite", kind: "boolean" };
const choice: JudgeScore = {
  name: "tone",
  kind: "choice",
  choices: [
    { label: "Warm", value: 1 },
    { label: "cold", value: -2 },
  ],
};

test.each<[string, string, JudgeScore[], object[]]>([
  [
    "an object with reasons",
    '{"helpful": {"reason": "it is", "score": 0.5}}',
    [number],
    [{ name: "helpful", value: 0.5, label: null, reason: "it is" }],
  ],
  [
    "fences and words around it",
    'Sure:\n```json\n{"helpful": {"score": 1}}\n```\nDone {x}',
    [number],
    [{ value: 1, reason: null }],
  ],
  ["the last of several objects", '{"helpful": 0} I think again: {"helpful": 1}', [number], [{ value: 1 }]],
  [
    "braces and quotes inside of texts",
    '{"helpful": {"reason": "a \\"}\\" {", "score": 0}}',
    [number],
    [{ reason: 'a "}" {' }],
  ],
  [
    "a value alone with one reason for all",
    '{"helpful": 0.25, "reason": "so"}',
    [number],
    [{ value: 0.25, reason: "so" }],
  ],
  [
    "a number as text, a name in capitals",
    '{"HELPFUL ": {"value": "0.75"}}',
    [number],
    [{ name: "helpful", value: 0.75 }],
  ],
  ["true", '{"polite": true}', [boolean], [{ value: 1 }]],
  ["no", '{"polite": {"score": "No"}}', [boolean], [{ value: 0 }]],
  ["a choice in another case", '{"tone": {"score": "warm"}}', [choice], [{ value: 1, label: "Warm" }]],
  [
    "several scores",
    '{"tone": {"score": "cold"}, "polite": {"score": 1}, "helpful": {"score": 0.1}}',
    [number, boolean, choice],
    [{ value: 0.1 }, { value: 1 }, { value: -2, label: "cold" }],
  ],
])("a verdict is read from %s", (_name, text, scores, expected) => {
  expect(readVerdict(text, scores)).toMatchObject(expected);
});

describe("a response without the requested scores is refused by name", () => {
  test.each<[string, JudgeScore, string]>([
    ["good", number, "no JSON object"],
    ['{"helpful": ', number, "no JSON object"],
    ["[1]", number, "no JSON object"],
    ['{"polite": true}', number, 'no score "helpful"'],
    ['{"helpful": null}', number, 'no score "helpful"'],
    ['{"helpful": 1.01}', number, "and not a number from 0 to 1"],
    ['{"helpful": -0.1}', number, "and not a number from 0 to 1"],
    ['{"helpful": ""}', number, "and not a number from 0 to 1"],
    ['{"helpful": [1]}', number, "no score"],
    ['{"helpful": true}', number, "and not a number from 0 to 1"],
    ['{"polite": "maybe"}', boolean, "and not true or false"],
    ['{"polite": "constructor"}', boolean, "and not true or false"],
    ['{"tone": "hot"}', choice, "and not one of its choices"],
  ])("%s", (text, score, message) => {
    expect(() => readVerdict(text, [score])).toThrow(message);
    expect(() => readVerdict(text, [score])).toThrow(Unreadable);
  });
});

test("any text is read or refused, and a score that is read is among those allowed", () => {
  assertProperty(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.string().map((text) => `{"helpful": ${text}}`),
      ),
      (text) => {
        try {
          const [verdict] = readVerdict(text, [number]);
          expect(verdict!.value).toBeWithin(0, 1.000_000_1);
        } catch (error) {
          expect(error).toBeInstanceOf(Unreadable);
        }
      },
    ),
  );
});
