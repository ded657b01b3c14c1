import type { Json, StreamEvent } from "../../plugin-host/contract.ts";
import { isObject, type JsonObject, jsonText, listOf, mergeMembers, numberOf, pickDefined, textOf } from "../json.ts";
import { grown } from "./pieces.ts";

/** Members whose text arrives in pieces; `generated_text` is complete, at the end. */
const PIECES = ["outputText", "generation", "completion", "text", "response", "content"] as const;

/** Plain-text events that are not part of the response. */
const NO_OUTPUT: ReadonlySet<string | undefined> = new Set(["done", "error", "logs"]);

/** Folds a text stream, keeping its provider's member names. */
export function foldTextGeneration(events: readonly StreamEvent[]): Json {
  const whole: JsonObject = {};
  let output = "";
  let isNamed = false;
  let seen = false;
  for (const { data, name } of events) {
    if (name === "output") {
      output += textOf(data) ?? jsonText(data);
      isNamed = true;
      continue;
    }
    if (typeof data === "string") {
      if (!NO_OUTPUT.has(name) && data !== "[DONE]") output += data;
      continue;
    }
    if (!isObject(data)) continue;
    seen = true;
    takePiece(whole, data);
  }
  if (output !== "" && (isNamed || Object.keys(whole).length === 0)) return { ...whole, output };
  return seen ? asSentWhole(whole) : undefined;
}

/** Three APIs use another form without streaming: Titan, Cohere on Bedrock, and Text Generation Inference. */
function asSentWhole(whole: JsonObject): Json {
  const { outputText, completionReason, totalOutputTextTokenCount, index: _, ...rest } = whole;
  if (typeof outputText === "string") {
    return { ...rest, results: [pickDefined({ tokenCount: totalOutputTextTokenCount, outputText, completionReason })] };
  }
  if (typeof whole.generated_text === "string") {
    return [
      pickDefined({ generated_text: whole.generated_text, details: whole.details ?? undefined, error: whole.error }),
    ];
  }
  if (typeof whole.text === "string" && typeof whole.is_finished === "boolean") {
    const { text, is_finished: _done, finish_reason, ...beside } = whole;
    return { ...beside, generations: [pickDefined({ text, finish_reason })] };
  }
  return whole;
}

function takePiece(whole: JsonObject, data: JsonObject): void {
  const { token, results, outputs, generations, completions, p: _padding, ...rest } = data;
  for (const name of PIECES) {
    if (typeof rest[name] === "string") rest[name] = grown(whole[name], rest[name]);
  }
  for (const name of ["prompt_token_count", "inputTextTokenCount"]) {
    if (numberOf(rest[name]) === 0 && numberOf(whole[name]) !== undefined) delete rest[name];
  }
  mergeMembers(whole, rest);
  if (isObject(token) && token.special !== true && typeof rest.generated_text !== "string") {
    whole.generated_text = grown(whole.generated_text, token.text);
  }
  for (const [name, list] of Object.entries({ results, outputs, generations, completions })) {
    if (Array.isArray(list)) whole[name] = grownResults(listOf(whole[name]), list);
  }
}

/** watsonx counts the prompt only in the first event, and output as a running total. The kept objects are our own copies. */
function grownResults(kept: readonly Json[], added: readonly Json[]): Json[] {
  return added.map((result, at) => {
    const known = kept[at];
    if (!isObject(result)) return result;
    if (!isObject(known)) return { ...result };
    const { generated_text, text, input_token_count } = known;
    mergeMembers(known, result);
    for (const [name, before] of Object.entries({ generated_text, text })) {
      if (typeof before === "string" && typeof result[name] === "string") known[name] = before + result[name];
    }
    if (result.input_token_count === 0) known.input_token_count = input_token_count;
    return known;
  });
}
