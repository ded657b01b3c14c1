import type { Answer, CallPart, Choice, Citation, Finish, Json, Part } from "../../../plugin-host/contract.ts";
import { filledText, isObject, jsonText, listOf, numberOf, pickDefined, textOf } from "../../json.ts";
import { callId } from "../../translate/ids.ts";
import { cohereUsage } from "../../usage.ts";

/** A complete response of Cohere's chat, version 2. Its tool plan is reasoning. */
export function readAnswer(body: Json): Answer {
  const message = body?.message;
  return pickDefined({
    id: filledText(body?.id),
    choices: isObject(message) ? [readChoice(message, body)] : [],
    usage: cohereUsage(body?.usage),
  }) as Answer;
}

function readChoice(message: Json, body: Json): Choice {
  const parts: Part[] = [];
  const plan = filledText(message.tool_plan);
  if (plan !== undefined) parts.push({ type: "reasoning", text: plan });
  const citations = listOf(message.citations).filter(isObject).map(citationOf);
  const content = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
  for (const part of listOf(content)) {
    const thought = filledText(part?.thinking);
    const text = filledText(part?.text);
    if (thought !== undefined) parts.push({ type: "reasoning", text: thought });
    else if (text !== undefined) parts.push({ type: "text", text });
  }
  const first = parts.findIndex(({ type }) => type === "text");
  if (citations.length > 0 && first !== -1) parts[first] = { ...(parts[first] as Part & { type: "text" }), citations };
  for (const [index, call] of listOf(message.tool_calls).filter(isObject).entries()) {
    const text = argumentsText(call.function?.arguments);
    parts.push({ ...callOf(call, `${textOf(body.id) ?? ""} ${index}`), arguments: text });
  }
  const logprobs = logprobsOf(body.logprobs);
  return pickDefined({ parts, finish: finishOf(body.finish_reason), logprobs }) as Choice;
}

export const argumentsText = (value: Json): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : jsonText(value);

/** A call without its arguments. @param seed - makes a generated id unique. */
export function callOf(call: Json, seed: string): CallPart {
  const name = textOf(call?.function?.name) ?? "";
  return { type: "call", id: filledText(call?.id) ?? callId(`${seed} ${name}`), name, arguments: "" };
}

export function citationOf(citation: Json): Citation {
  const document = listOf(citation?.sources)[0]?.document;
  return pickDefined({
    url: filledText(document?.url),
    title: filledText(document?.title),
    quote: filledText(citation?.text),
    start: numberOf(citation?.start),
    end: numberOf(citation?.end),
  }) as Citation;
}

const FINISHES: Readonly<Record<string, Finish>> = {
  COMPLETE: "end",
  STOP_SEQUENCE: "stop",
  TOOL_CALL: "calls",
  MAX_TOKENS: "length",
  ERROR_LIMIT: "length",
  ERROR_TOXIC: "filter",
  ERROR: "malformed",
  TIMEOUT: "malformed",
};

/** An unknown value is an ordinary end. */
export function finishOf(word: Json): Finish {
  const known = textOf(word) ?? "";
  return Object.hasOwn(FINISHES, known) ? FINISHES[known]! : "end";
}

/** Cohere returns log probabilities per piece of text. */
export function logprobsOf(list: Json): Json {
  const content = (isObject(list) ? [list] : listOf(list)).flatMap((stretch: Json) => {
    const values = listOf(stretch?.logprobs);
    const text = textOf(stretch?.text) ?? "";
    const logprob = values.reduce((sum: number, value) => sum + (numberOf(value) ?? 0), 0);
    return values.length === 0
      ? []
      : [{ token: text, logprob, bytes: [...Buffer.from(text, "utf8")], top_logprobs: [] }];
  });
  return content.length === 0 ? undefined : { content };
}
