import { parseRequest } from "../mapping/exact-json.ts";
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from "../mapping/json.ts";
import { userIdIn } from "../mapping/user-id.ts";
import { hasInput } from "../mapping/wire/chat-completions/input.ts";
import type { Json } from "../plugin-host/contract.ts";
import type { Need } from "../routing/route.ts";
import { contentOf } from "./counted-content.ts";
import { type IssuerNamed, issuersIn, mayHoldState } from "./issuers-in.ts";
import { referredTo } from "./references.ts";

/** The parts of a request's body that determine its targets. Plain data: it crosses threads. */
export interface Description {
  readonly model: string | undefined;
  /** Members `models` and `fallbacks`: further names. */
  readonly more: readonly string[];
  /** Those of the two that the body has as a list of names: they are not passed on. */
  readonly routing: readonly string[];
  readonly stream: boolean;
  readonly user: string | undefined;
  /** Keeps requests of one conversation together without a header. */
  readonly cacheKey: string | undefined;
  readonly needs: readonly Need[];
  readonly maxTokens: number | undefined;
  /** Estimated. */
  readonly inputTokens: number;
  /** Whether it contains state packed by Weir, or unsigned thinking: such a body is rewritten even in its own shape. */
  readonly hasState: boolean;
  /** Whether it has `input` in place of `messages`: such a chat request is not in the chat shape. */
  readonly hasInput: boolean;
  /** Whether a chat stream should end with its usage. */
  readonly wantsUsage: boolean;
  readonly previousResponse: string | undefined;
  /** Type of Anthropic's member `thread`: `create`, or `continue` if the body has only the turns after the stored ones. */
  readonly thread: string | undefined;
  /** Weir's own responses whose items it references. */
  readonly references: readonly string[];
  /** The issuers of the state in it, the latest first. */
  readonly issuers: readonly IssuerNamed[];
}

/** For a request without a body, or with an uninformative one. */
export const NOTHING_DESCRIBED: Description = {
  model: undefined,
  more: [],
  routing: [],
  stream: false,
  user: undefined,
  cacheKey: undefined,
  needs: [],
  maxTokens: undefined,
  inputTokens: 0,
  hasState: false,
  hasInput: false,
  wantsUsage: false,
  previousResponse: undefined,
  thread: undefined,
  references: [],
  issuers: [],
};

/** Estimated bytes of text per token, before the model is known. */
const TOKEN_BYTES = 4;
const NONE: readonly never[] = [];
const ROUTING_MEMBERS = ["models", "fallbacks"];

/** Whether a member only routes. Another value than a list of names is the provider's business. */
export const isRouting = (name: string, value: Json): boolean =>
  ROUTING_MEMBERS.includes(name) && Array.isArray(value) && value.every((each) => typeof each === "string");

/**
 * @param onParsed - receives the parsed body.
 * @returns undefined if the body is not a JSON object.
 */
export function describe(text: string, onParsed?: (body: Json) => void): Description | undefined {
  const body = parsed(text);
  onParsed?.(body);
  if (!isObject(body)) return undefined;
  const settings = objectOf(body["generationConfig"]);
  const { max_completion_tokens, max_tokens, max_output_tokens } = body;
  const routing =
    body["models"] === undefined && body["fallbacks"] === undefined
      ? NONE
      : ROUTING_MEMBERS.filter((name) => isRouting(name, body[name]));
  // Each search of the text takes as long as reading it: most bodies hold no state, and need one set of searches.
  const mayHaveState = mayHoldState(text);
  return {
    model: textOf(body["model"]),
    more: routing.flatMap((name) => body[name]),
    routing,
    stream: body["stream"] === true,
    user: userIdIn(body),
    cacheKey: textOf(body["prompt_cache_key"]),
    needs: needsOf(body, text, settings),
    maxTokens: numberOf(max_completion_tokens ?? max_tokens ?? max_output_tokens ?? settings?.["maxOutputTokens"]),
    inputTokens: tokensIn(body, text),
    hasState: mayHaveState && (text.includes("weir1.") || hasUnsignedThinking(body, text)),
    hasInput: hasInput(body),
    wantsUsage: objectOf(body["stream_options"])?.["include_usage"] === true,
    previousResponse: textOf(body["previous_response_id"]),
    thread: textOf(objectOf(body["thread"])?.["type"]),
    references: referredTo(body, text),
    issuers: mayHaveState ? issuersIn(text) : NONE,
  };
}

function tokensIn(body: JsonObject, text: string): number {
  try {
    const { texts, tokens } = contentOf(body);
    let bytes = 0;
    for (const each of texts) bytes += Buffer.byteLength(each);
    return tokens + Math.ceil(bytes / TOKEN_BYTES);
  } catch {
    return Math.ceil(Buffer.byteLength(text) / TOKEN_BYTES); // nested deeper than the stack
  }
}

function parsed(text: string): Json {
  try {
    return parseRequest(text);
  } catch {
    return undefined;
  }
}

/**
 * Markers of each kind of part, in any of the shapes. Message text may contain them too: then a suitable target may be
 * skipped.
 */
const PARTS: readonly (readonly [Need, RegExp])[] = [
  ["images", /"type"\s*:\s*"(?:image|image_url|input_image)"|"inlineData"\s*:\s*\{\s*"mimeType"\s*:\s*"image/],
  ["files", /"type"\s*:\s*"(?:file|input_file|document)"|"mimeType"\s*:\s*"application\/pdf"/],
  ["audio", /"type"\s*:\s*"input_audio"|"mimeType"\s*:\s*"audio/],
];

function needsOf(body: Record<string, Json>, text: string, settings: Record<string, Json> | undefined): Need[] {
  const mayHaveParts = text.includes('"type"') || text.includes('"mimeType"');
  const needs = mayHaveParts ? PARTS.filter(([, words]) => words.test(text)).map(([need]) => need) : [];
  if (listOf(body["tools"]).length > 0 || listOf(body["functions"]).length > 0) needs.push("tools");
  const format = body["response_format"] ?? body["text"]?.format ?? body["output_config"]?.format;
  if (objectOf(format)?.["type"] === "json_schema" || settings?.["responseJsonSchema"] || settings?.["responseSchema"])
    needs.push("json_schema");
  if (wantsReasoning(body, settings)) needs.push("reasoning");
  return needs;
}

function wantsReasoning(body: Record<string, Json>, settings: Record<string, Json> | undefined): boolean {
  const effort = body["reasoning_effort"] ?? body["reasoning"]?.effort ?? body["output_config"]?.effort;
  const thinking = objectOf(body["thinking"])?.["type"];
  if (thinking !== undefined) return thinking !== "disabled";
  return (typeof effort === "string" && effort !== "none") || settings?.["thinkingConfig"] !== undefined;
}

/** For clients of Messages, thinking from another vendor has an empty signature, which Anthropic refuses. */
function hasUnsignedThinking(body: Record<string, Json>, text: string): boolean {
  if (!text.includes('"signature"') || !/"signature"\s*:\s*""/.test(text)) return false;
  return listOf(body["messages"]).some((message) =>
    listOf(message?.content).some((block) => block?.type === "thinking" && block.signature === ""),
  );
}
