import type { Json } from "../plugin-host/contract.ts";
import { filledText, isObject, listOf } from "./json.ts";

/** Providers' values, in lower case, with their common name. Other values are kept, in lower case. */
const WORDS: Readonly<Record<string, string>> = {
  ...named("stop", ["end_turn", "stop_sequence", "eos", "eos_token", "end_of_text", "complete", "completed", "finish"]),
  ...named("length", [
    "max_tokens",
    "max_output_tokens",
    "max_length",
    "model_length",
    "model_context_window_exceeded",
  ]),
  ...named("tool_calls", ["tool_use", "tool_call", "function_call"]),
  ...named("content_filter", [
    ...["content_filtered", "filtered", "safety", "refusal", "recitation", "blocklist", "prohibited_content", "spii"],
    ...["guardrail_intervened", "error_toxic", "image_safety", "sensitive"],
  ]),
};

/** Longer values are not reasons. */
const CHARS_MAX = 60;

/** Function calls for the client, in responses whose reason does not mention them. */
const CALLS: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call", "computer_call", "local_shell_call"]);

/**
 * Why a response ended, in any shape: `stop`, `length`, `tool_calls`, `content_filter`, or another value of the provider in
 * lower case; undefined if there is none. With several choices, that of the first.
 *
 * @param known - the result of a provider's own reader.
 */
export function finishReasonOf(body: Json, known: string | undefined): string | undefined {
  const word = filledText(known) ?? (isObject(body) ? wordIn(body) : undefined);
  if (word === undefined || word.length > CHARS_MAX) return undefined;
  const lower = word.toLowerCase();
  const reason = Object.hasOwn(WORDS, lower) ? WORDS[lower]! : lower;
  return reason === "stop" && hasCalls(body) ? "tool_calls" : reason;
}

function wordIn(body: Json): string | undefined {
  const whole = isObject(body.result) ? body.result : body;
  return wordAt(whole) ?? wordAt(firstOf(whole)) ?? ofResponse(whole) ?? ofBlocked(whole);
}

const CHOICES = ["choices", "candidates", "generations", "results", "outputs", "completions"] as const;

/** The first choice, if there are several. */
function firstOf(whole: Json): Json {
  for (const name of CHOICES) {
    const first = listOf(whole[name])[0];
    if (isObject(first)) return first;
  }
  return undefined;
}

function wordAt(at: Json): string | undefined {
  return (
    filledText(at?.finish_reason) ??
    filledText(at?.stop_reason) ??
    filledText(at?.finishReason) ??
    filledText(at?.stopReason) ??
    filledText(at?.done_reason) ??
    filledText(at?.completionReason) ??
    filledText(at?.finish_reason?.reason) ??
    filledText(at?.finishReason?.reason)
  );
}

/** OpenAI's Responses API has a status, and a reason if the response is incomplete. */
function ofResponse(body: Json): string | undefined {
  if (body.object !== "response") return undefined;
  const why = body.status === "incomplete" ? filledText(body.incomplete_details?.reason) : undefined;
  return why ?? (body.status === "completed" ? "stop" : filledText(body.status));
}

/** Gemini blocks a prompt without returning a candidate. */
const ofBlocked = (body: Json) =>
  filledText(body.promptFeedback?.blockReason) === undefined ? undefined : "content_filter";

function hasCalls(body: Json): boolean {
  if (!isObject(body)) return false;
  const { output, candidates, message } = body;
  if (Array.isArray(output) && output.some(isCall)) return true;
  const parts = Array.isArray(candidates) ? candidates[0]?.content?.parts : undefined;
  if (Array.isArray(parts) && parts.some(holdsCall)) return true;
  return Array.isArray(message?.tool_calls) && message.tool_calls.length > 0;
}

const isCall = (item: Json) => CALLS.has(item?.type);
const holdsCall = (part: Json) => isObject(part?.functionCall);

function named(name: string, words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word) => [word, name]));
}
