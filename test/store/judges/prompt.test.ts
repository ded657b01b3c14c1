import { expect, test } from "bun:test";
import type { LlmSchema } from "../../../src/record/llm-schema.ts";
import { type JudgeBody, readJudgeRule } from "../../../src/store/judges/judge-rule.ts";
import { periodEnd, periodStart } from "../../../src/store/judges/judgements.ts";
import { filled, judgedRecord, judgeRequest } from "../../../src/store/judges/prompt.ts";
import { isSampled } from "../../../src/store/judges/sampling.ts";

const llm: LlmSchema = {
  request: {
    messages: [
      { role: "system", content: "be brief" },
      { role: "user", content: "weather in {{output}}?" },
      { role: "assistant", content: "", tool_calls: [{ name: "get_weather", arguments: { city: "Bonn" } }] },
      { role: "tool", content: "rain" },
    ],
  },
  response: { messages: [{ role: "assistant", content: "It rains." }] },
};
const record = judgedRecord(llm, { model: "m-1", properties: { Team: "red" } }, "It is wet.");

test("a prompt has the texts of the request, whose braces stay as they are", () => {
  const prompt = "{{ input }}|{{output}}|{{reference}}|{{model}}|{{property.Team}}|{{property.None}}|{{messages}}";
  expect(filled(prompt, record)).toBe(
    [
      ...["weather in {{output}}?", "It rains.", "It is wet.", "m-1", "red", ""],
      'system: be brief\n\nuser: weather in {{output}}?\n\nassistant: [calls get_weather with {"city":"Bonn"}]\n\ntool: rain',
    ].join("|"),
  );
});

test("a judge gets the values of each score, and the form of the response", () => {
  const scores = readJudgeRule(
    body({
      scores: [
        { name: "a", kind: "number", description: "how true" },
        {
          name: "b",
          kind: "choice",
          choices: [
            { label: "yes", value: 1 },
            { label: "no", value: 0 },
          ],
        },
      ],
    }),
  ).scores;
  const { messages } = judgeRequest({ model: "m", prompt: "{{output}}", scores }, record);
  expect(messages[0].content).toContain('"a": how true. Its score is a number from 0 to 1.');
  expect(messages[0].content).toContain('Its score is one of "yes", "no".');
  expect(messages[0].content).toContain('{"a": {"reason": "…", "score": …}, "b": {"reason": "…", "score": …}}');
  expect(messages[1]).toEqual({ role: "user", content: "It rains." });
});

function body(more: Partial<JudgeBody> = {}): JudgeBody {
  return { name: "j", model: "m", key: "k", prompt: "{{output}}", scores: [{ name: "a", kind: "number" }], ...more };
}

test.each<[string, Partial<JudgeBody>, string]>([
  ["a field that there is not", { prompt: "{{output}} {{outptu}}" }, 'did you mean "output"?'],
  ["a prompt that shows no response", { prompt: "{{input}}" }, "write {{output}}"],
  [
    "two scores of a name",
    {
      scores: [
        { name: "a", kind: "number" },
        { name: "A", kind: "boolean" },
      ],
    },
    'two scores "A"',
  ],
  ["a choice without choices", { scores: [{ name: "a", kind: "choice" }] }, "give choices if kind is choice"],
  ["a filter that is none", { filter: { nonsense: 1 } }, "nonsense"],
])("a judge is refused for %s", (_name, more, message) => {
  expect(() => readJudgeRule(body(more))).toThrow(message);
});

test("a share is the same requests at every look, about as many as it says, and others for another judge", () => {
  const ids = Array.from({ length: 2_000 }, (_, at) => `request-${at}`);
  const of = (id: string, share: number) => ids.filter((request) => isSampled({ id, share }, request));
  expect(of("a", 100)).toHaveLength(2_000);
  expect(of("a", 0)).toHaveLength(0);
  const ten = of("a", 10);
  expect(ten).toEqual(of("a", 10));
  expect(ten.length).toBeWithin(120, 281);
  expect(new Set(of("a", 20)).isSupersetOf(new Set(ten))).toBe(true);
  expect(of("b", 10)).not.toEqual(ten);
});

test("a budget is of a calendar day or month in UTC", () => {
  const now = Date.UTC(2026, 11, 30, 23, 59);
  expect(periodStart({ per: "day" }, now)).toBe(Date.UTC(2026, 11, 30));
  expect(periodEnd({ per: "day" }, now)).toBe(Date.UTC(2026, 11, 31));
  expect(periodEnd({ per: "day" }, Date.UTC(2026, 11, 31, 12))).toBe(Date.UTC(2027, 0, 1));
  expect(periodStart({ per: "month" }, now)).toBe(Date.UTC(2026, 11, 1));
  expect(periodEnd({ per: "month" }, now)).toBe(Date.UTC(2027, 0, 1));
});
