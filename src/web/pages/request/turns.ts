import { type Part, tone } from "./part.ts";

/** Fewer messages than this are not worth a click. */
const FOLDED_MIN = 3;

/** A conversation's messages: what leads, what was said before this request, and what is new in it. */
export interface Turns {
  /** System prompts at the beginning. */
  readonly leading: readonly Part[];
  /** Empty where there is little of it. */
  readonly earlier: readonly Part[];
  readonly fresh: readonly Part[];
}

/**
 * What an earlier request of the conversation had sent or got already: everything up to the model's last message, because the
 * answer to it is what this request brings.
 */
export function turnsOf(messages: readonly Part[]): Turns {
  const isLeading = (part: Part) => part.role !== undefined && tone(part.role) === "system";
  const start = messages.findIndex((part) => !isLeading(part));
  const from = start < 0 ? messages.length : start;
  const last = messages.findLastIndex((part) => part.role !== undefined && tone(part.role) === "assistant");
  const to = last + 1 - from >= FOLDED_MIN ? last + 1 : from;
  return { leading: messages.slice(0, from), earlier: messages.slice(from, to), fresh: messages.slice(to) };
}
