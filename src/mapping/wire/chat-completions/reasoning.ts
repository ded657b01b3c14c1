import type { Json, ReasoningPart, State } from "../../../plugin-host/contract.ts";
import { filledText, isObject, listOf, pickDefined, textOf } from "../../json.ts";
import { makerOf, stateOf, stateText } from "../../translate/state.ts";

/**
 * OpenAI's chat completions have no place for reasoning. Text is in `reasoning_content` or `reasoning`; with state it is in
 * `reasoning_details` (OpenRouter) or in `thinking_blocks` (LiteLLM).
 */

/** The text of a message's reasoning, under any of the names. */
export function reasoningText(message: Json): string | undefined {
  return (
    filledText(message.reasoning_content) ??
    filledText(message.reasoning) ??
    filledText(message.thinking) ??
    filledText(
      listOf(message.reasoning_details)
        .map((detail) => filledText(detail?.text) ?? filledText(detail?.summary) ?? "")
        .join(""),
    )
  );
}

/** Reasoning with its state; entries with the same `index` form one part. */
export function readReasoning(message: Json, at: string): ReasoningPart[] {
  const details = listOf(message.reasoning_details).filter(isObject);
  if (details.length > 0) return readDetails(details, `${at}.reasoning_details`);
  const blocks = listOf(message.thinking_blocks).filter(isObject);
  if (blocks.length > 0) return blocks.map((block, index) => readBlock(block, `${at}.thinking_blocks[${index}]`));
  const text = reasoningText(message);
  return text === undefined ? [] : [{ type: "reasoning", text, at: `${at}.reasoning_content` }];
}

function readDetails(details: readonly Json[], at: string): ReasoningPart[] {
  const parts: { text: string; state?: State; at: string; index: Json }[] = [];
  for (const [position, detail] of details.entries()) {
    const text = textOf(detail.text) ?? textOf(detail.summary) ?? "";
    const state = detailState(detail);
    const last = parts.at(-1);
    const continues = last !== undefined && detail.index !== undefined && last.index === detail.index;
    if (continues && (last.state === undefined || state === undefined)) {
      last.text += text;
      if (state !== undefined) last.state = state;
    } else {
      parts.push({ text, at: `${at}[${position}]`, index: detail.index, ...(state === undefined ? {} : { state }) });
    }
  }
  return parts.map(({ index: _, ...part }) => ({ type: "reasoning", ...part }));
}

/** The vendors behind OpenRouter's state formats. */
const MAKERS: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  openai: "openai",
  google: "google",
  xai: "x",
};

function detailState(detail: Json): State | undefined {
  const format = textOf(detail.format) ?? "";
  const family = format.split("-", 1)[0]!;
  const maker = Object.hasOwn(MAKERS, family) ? MAKERS[family]! : format;
  const signature = filledText(detail.signature);
  if (signature !== undefined) return stateOf(signature, maker, "signature");
  const data = filledText(detail.data);
  if (data === undefined) return undefined;
  const state = stateOf(data, maker, maker === "anthropic" ? "redacted" : "encrypted");
  return state.id === undefined && typeof detail.id === "string" ? { ...state, id: detail.id } : state;
}

/** LiteLLM's blocks are those of Anthropic. */
function readBlock(block: Json, at: string): ReasoningPart {
  const redacted = filledText(block.data);
  const signature = filledText(block.signature);
  const state =
    redacted !== undefined
      ? stateOf(redacted, "anthropic", "redacted")
      : signature === undefined
        ? undefined
        : stateOf(signature, "anthropic", "signature");
  return pickDefined({ type: "reasoning", text: textOf(block.thinking) ?? "", state, at }) as ReasoningPart;
}

/** Google's signature of a call, as in its OpenAI-compatible endpoint. */
export function signatureOf(call: Json): State | undefined {
  const signature = filledText(call.extra_content?.google?.thought_signature);
  return signature === undefined ? undefined : stateOf(signature, "google", "signature");
}

export const writeSignature = (state: State): Json => ({ google: { thought_signature: stateText(state) } });

/** A part as entries of `reasoning_details`; `index` is its position among the response's reasoning. */
export function writeDetails({ text, state }: { text: string; state?: State }, index: number, raw: boolean): Json[] {
  const details: Json[] = [];
  const format = state === undefined ? undefined : formatOf(state);
  const value = state === undefined ? undefined : raw ? state.value : stateText(state);
  const signature = state?.kind === "signature" ? value : undefined;
  if (text !== "" || signature !== undefined)
    details.push(pickDefined({ type: "reasoning.text", text, signature, format, index }));
  if (state !== undefined && signature === undefined)
    details.push(pickDefined({ type: "reasoning.encrypted", data: value, id: state.id, format, index }));
  return details;
}

const FORMATS: Readonly<Record<string, string>> = {
  anthropic: "anthropic-claude-v1",
  openai: "openai-responses-v1",
  google: "google-gemini-v1",
};

function formatOf({ issuer }: State): string {
  const maker = makerOf(issuer);
  return Object.hasOwn(FORMATS, maker) ? FORMATS[maker]! : maker;
}
