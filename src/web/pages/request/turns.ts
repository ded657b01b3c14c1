import { type LlmPart, tone } from "./part.ts";

/** Fewer messages than this are not folded. */
const FOLDED_MIN = 3;

/** A conversation's messages: leading ones, those from earlier requests, and new ones. */
interface Turns {
  /** System prompts at the beginning. */
  readonly leading: readonly LlmPart[];
  /** Empty if there are only a few. */
  readonly earlier: readonly LlmPart[];
  readonly fresh: readonly LlmPart[];
}

/**
 * Messages that an earlier request of the conversation already had: everything up to the model's last message, because this
 * request adds the reply to it. Messages of the model at the end are new: the response continues them.
 */
export function turnsOf(messages: readonly LlmPart[]): Turns {
  const isLeading = (part: LlmPart) => part.role !== undefined && tone(part.role) === "system";
  const start = messages.findIndex((part) => !isLeading(part));
  const from = start < 0 ? messages.length : start;
  const isModels = (part: LlmPart) => part.role !== undefined && tone(part.role) === "assistant";
  const begun = messages.findLastIndex((part) => !isModels(part));
  const last = messages.slice(0, begun + 1).findLastIndex(isModels);
  const to = last + 1 - from >= FOLDED_MIN ? last + 1 : from;
  return { leading: messages.slice(0, from), earlier: messages.slice(from, to), fresh: messages.slice(to) };
}
