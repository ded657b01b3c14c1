import type { Json, StreamEvent } from "../../../plugin-host/contract.ts";
import type { LlmRequest, LlmResponse } from "../../../record/llm-schema.ts";
import {
  filledText,
  isObject,
  type JsonObject,
  jsonText,
  listOf,
  mergeMembers,
  numberOf,
  pickDefined,
  textOf,
} from "../../json.ts";
import { responseOf } from "../../llm/messages.ts";
import { settingsOf } from "../../llm/settings.ts";
import type { WireSchema } from "../../wire-schema.ts";
import { growLogprobs } from "../chat-completions/fold.ts";
import { readOpenAi } from "../openai-reading.ts";
import { inOrder } from "../pieces.ts";

/** Legacy completions: a prompt in, `choices[].text` out. */
export const completions: WireSchema = {
  name: "completions",
  llmType: "completion",
  path: /(?<!\/chat)\/completions$/,
  fits: (request, response) => promptOf(request?.prompt) !== undefined || response?.object === "text_completion",
  fold: foldCompletions,
  readResponse: (body) => readOpenAi(body),
  promptText: (request) => promptOf(request?.prompt),
  completionText: (response) => filledText(listOf(response?.choices)[0]?.text),
  llmRequest: (request): LlmRequest => pickDefined({ ...settingsOf(request), prompt: promptOf(request?.prompt) }),
  llmResponse: (response): LlmResponse => ({
    messages: listOf(response?.choices)
      .filter(isObject)
      .map((choice) => responseOf("assistant", choice.text, { idx: numberOf(choice.index) ?? 0 })),
  }),
};

/** A prompt may be a text, several texts, or tokens; the latter are returned as JSON text. */
export function promptOf(prompt: Json): string | undefined {
  if (!Array.isArray(prompt)) return textOf(prompt);
  if (prompt.length === 0) return undefined;
  return prompt.every((part) => typeof part === "string") ? prompt.join("\n") : jsonText(prompt);
}

const APART: ReadonlySet<string> = new Set(["choices", "obfuscation", "p", "usage"]);

function foldCompletions(events: readonly StreamEvent[]): Json {
  const top: JsonObject = {};
  const choices = new Map<number, JsonObject>();
  let usage: JsonObject | undefined;
  let seen = false;
  for (const { data: chunk } of events) {
    if (!isObject(chunk)) continue;
    seen = true;
    mergeMembers(top, chunk, APART);
    if (isObject(chunk.usage)) usage = mergeMembers(usage ?? {}, chunk.usage);
    for (const choice of listOf(chunk.choices)) if (isObject(choice)) takeChoice(choices, choice);
  }
  if (!seen) return undefined;
  return pickDefined({ ...top, choices: inOrder(choices), usage });
}

function takeChoice(choices: Map<number, JsonObject>, choice: JsonObject): void {
  const index = typeof choice.index === "number" ? choice.index : 0;
  const known = choices.get(index) ?? { index, text: "" };
  choices.set(index, known);
  const { text, logprobs, ...rest } = choice;
  known.text += textOf(text) ?? "";
  mergeMembers(known, rest);
  if (isObject(logprobs)) known.logprobs = growLogprobs(isObject(known.logprobs) ? known.logprobs : {}, logprobs);
  else if (known.logprobs === undefined) known.logprobs = logprobs ?? null;
}
