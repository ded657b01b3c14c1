import type { Sample } from "../../src/mapping/infer/sample.ts";
import type { Json } from "../../src/plugin-host/contract.ts";

/** Invented wire formats, each in a few exchanges as they would be recorded. */
export interface Shape {
  readonly name: string;
  readonly model: string;
  readonly samples: readonly Sample[];
  /** An exchange that was not among the samples, and what it must read as. */
  readonly fresh: Sample;
  readonly expected: {
    readonly messages?: readonly (readonly [role: string, content: string])[];
    readonly prompt: string;
    readonly completion?: string;
    readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
    readonly tools?: readonly { readonly name: string; readonly arguments: object }[];
    readonly responseModel?: string;
  };
}

/** What is said in the exchanges; the last one is the one to be read afterwards. */
const TALKS = [
  ["What is the tallest mountain on earth?", "Mount Everest, at about 8,849 metres.", 11, 14],
  ["And the deepest lake, please?", "Lake Baikal in Siberia is the deepest lake.", 9, 13],
  ["Name a river in France", "The Loire runs through the middle of France.", 7, 12],
  ["Why is the sky blue at noon?", "Because short waves are scattered the most.", 10, 11],
] as const;

const OLDER = ["Good morning to you", "Good morning! How can I be of use?"] as const;

type Talk = (question: string, response: string, input: number, output: number, index: number) => Sample;

const whole = (requestBody: Json, responseBody: Json): Sample => ({
  requestBody,
  responseBody,
  events: undefined,
  status: 200,
});
const stream = (requestBody: Json, events: readonly Json[], names?: readonly string[]): Sample => ({
  requestBody,
  responseBody: undefined,
  events: events.map((data, at) => (names === undefined ? { data } : { name: names[at]!, data })),
  status: 200,
});
const pieces = (text: string) => text.split(/(?<= )/);

function shape(name: string, model: string, talk: Talk, more: Partial<Shape["expected"]> = {}): Shape {
  const all = TALKS.map(([question, response, input, output], index) => talk(question, response, input, output, index));
  const [question, completion, prompt_tokens, completion_tokens] = TALKS.at(-1)!;
  const expected = { prompt: question, completion, usage: { prompt_tokens, completion_tokens }, ...more };
  return { name, model, samples: all.slice(0, -1), fresh: all.at(-1)!, expected };
}

const lastQuestion = TALKS.at(-1)![0];
const CONVERSATION = [
  ["user", OLDER[0]],
  ["assistant", OLDER[1]],
  ["user", lastQuestion],
] as const;

export const SHAPES: readonly Shape[] = [
  shape(
    "JSON: turns with utterances, tokens under billing",
    "zeta-1",
    (question, response, input, output, at) =>
      whole(
        {
          model: "zeta-1",
          heat: 0.5,
          turns: [
            { speaker: "customer", utterance: OLDER[0] },
            { speaker: "bot", utterance: OLDER[1] },
            { speaker: "customer", utterance: question },
          ],
        },
        {
          ref: `r-${at}91`,
          reply: { utterance: response, mood: "calm" },
          billing: { in: input, out: output },
          took_ms: 41 + at,
        },
      ),
    { messages: CONVERSATION },
  ),
  shape(
    "SSE: kinds of frames, thoughts beside the words, tokens at the end",
    "zeta-2",
    (question, response, input, output) =>
      stream({ model: "zeta-2", turns: [{ speaker: "customer", utterance: question }], live: true }, [
        { kind: "open", session: "s-8841", model: "zeta-2" },
        { kind: "thought", bit: "the user " },
        { kind: "thought", bit: "wants a fact " },
        ...pieces(response).map((bit) => ({ kind: "say", bit })),
        { kind: "close", billing: { in: input, out: output } },
      ]),
    { messages: [["user", lastQuestion]] },
  ),
  shape("NDJSON: the whole text so far on every line", "cumulus", (question, response, input, output) => {
    const soFar = pieces(response).map((_piece, at, all) => all.slice(0, at + 1).join(""));
    return stream({ engine: "cumulus", ask: question }, [
      ...soFar.map((out, at) => ({ out, n: at })),
      { out: response, finished: true, meter: { tokensRead: input, tokensWritten: output } },
    ]);
  }),
  shape(
    "JSON: pairs of role and text, answer in pieces, nameless counts",
    "trio",
    (question, response, input, output) =>
      whole(
        {
          model: "trio",
          dialog: [
            ["sys", "Answer briefly and truly."],
            ["human", OLDER[0]],
            ["ai", OLDER[1]],
            ["human", question],
          ],
        },
        { result: pieces(response).map((p) => ({ p })), c: { a: input * 3, b: output, c: input * 3 + output } },
      ),
    {
      messages: [["system", "Answer briefly and truly."], ...CONVERSATION],
      usage: { prompt_tokens: 30, completion_tokens: 11 },
    },
  ),
  shape(
    "JSON: the role is the member's name",
    "keyed",
    (question, response, input, output) =>
      whole(
        { model: "keyed", history: [{ user: OLDER[0] }, { assistant: OLDER[1] }, { user: question }] },
        {
          candidates: [
            { say: response, score: 0.9 },
            { say: "I do not know.", score: 0.1 },
          ],
          stats: { promptTokens: input, generatedTokens: output },
        },
      ),
    { messages: CONVERSATION },
  ),
  shape(
    "NDJSON: thoughts and words under one name, told apart by their phase",
    "phased",
    (question, response, input, output) =>
      stream({ model: "phased", messages: [{ role: "user", content: question }] }, [
        { phase: "think", content: "The user " },
        { phase: "think", content: "wants a fact " },
        ...pieces(response).map((content) => ({ phase: "answer", content })),
        { phase: "finish", stats: { n_prompt: input, n_gen: output } },
      ]),
    { messages: [["user", lastQuestion]] },
  ),
  shape("JSON: alternatives that are told by their scores", "scored", (question, response, input, output) =>
    whole(
      { model: "scored", text_in: question },
      {
        outputs: [
          { text_out: response, prob: 0.9 },
          { text_out: "I do not know.", prob: 0.1 },
        ],
        spent: { input, output },
      },
    ),
  ),
  shape(
    "JSON: what came before apart from the newest question",
    "lastly",
    (question, response, input, output) =>
      whole(
        {
          model: "lastly",
          persona: "You are a patient teacher.",
          earlier: [
            { by: "me", line: OLDER[0] },
            { by: "them", line: OLDER[1] },
          ],
          query: question,
        },
        {
          data: { answer: response, model: "lastly-2026-01" },
          usage: { question_tokens: input, answer_tokens: output, total_tokens: input + output },
        },
      ),
    { messages: [["system", "You are a patient teacher."], ...CONVERSATION], responseModel: "lastly-2026-01" },
  ),
  shape("SSE: named events with bare text", "plain", (question, response, input, output) =>
    stream(
      { model: "plain", question },
      [{ job: "j-1" }, ...pieces(response), { spent: { input, output }, usage: { input, output } }],
      ["begin", ...pieces(response).map(() => "token"), "end"],
    ),
  ),
  shape(
    "JSON: tools under other names",
    "handy",
    (question, _response, input, output) =>
      whole(
        {
          model: "handy",
          dialogue: [{ party: "caller", words: question }],
          abilities: [
            {
              title: "look_up",
              purpose: "Looks something up.",
              schema: { type: "object", properties: { term: { type: "string" } } },
            },
          ],
        },
        {
          steps: [{ call: { action: "look_up", with: { term: question } }, key: "k-7" }],
          tokens: { request: input, response: output },
        },
      ),
    {
      messages: [["user", lastQuestion]],
      completion: undefined as never,
      tools: [{ name: "look_up", arguments: { term: lastQuestion } }],
    },
  ),
  shape(
    "JSON: deep inside an envelope, roles as numbers of nobody's choosing",
    "deep",
    (question, response, input, output) =>
      whole(
        {
          meta: { trace: "t-100" },
          payload: {
            model: "deep",
            convo: [
              { who: "P1", body: { plain: OLDER[0] } },
              { who: "P2", body: { plain: OLDER[1] } },
              { who: "P1", body: { plain: question } },
            ],
          },
        },
        {
          ok: true,
          payload: { outcome: { body: { plain: response } }, consumption: { units_in: input, units_out: output } },
        },
      ),
    { messages: CONVERSATION },
  ),
  shape(
    "SSE: calls of tools among the words, spoken by a flag",
    "flagged",
    (question, response, input, output) =>
      stream(
        {
          model: "flagged",
          log: [
            { mine: true, txt: OLDER[0] },
            { mine: false, txt: OLDER[1] },
            { mine: true, txt: question },
          ],
          tools: [{ fn: { name: "look_up", parameters: { type: "object", properties: {} } } }],
        },
        [
          ...pieces(response).map((chunk) => ({ op: "emit", d: { chunk } })),
          { op: "invoke", d: { tool: { name: "look_up", args: { term: question }, call_id: "c-1" } } },
          { op: "done", d: { tokens: { in: input, out: output } } },
        ],
      ),
    { messages: CONVERSATION, tools: [{ name: "look_up", arguments: { term: lastQuestion } }] },
  ),
  shape(
    "a known format at an unknown path",
    "gpt-like",
    (question, response, input, output) =>
      whole(
        { model: "gpt-like", messages: [{ role: "user", content: question }] },
        {
          id: "x",
          model: "gpt-like",
          choices: [{ index: 0, message: { role: "assistant", content: response }, finish_reason: "stop" }],
          usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
        },
      ),
    { messages: [["user", lastQuestion]] },
  ),
];
