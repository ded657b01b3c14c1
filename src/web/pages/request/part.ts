import type { LlmMessage, LlmResponseItem } from "../../../record/llm-schema.ts";

/** A message of a request or a response, in either of the two shapes that llmSchema has for them. */
export type Part = Partial<LlmMessage & LlmResponseItem>;

/** Who speaks, as far as colours tell speakers apart. */
export function tone(role: string): "system" | "user" | "assistant" | "tool" {
  if (role === "system" || role === "developer") return "system";
  if (role === "user") return "user";
  return role === "tool" || role === "function" ? "tool" : "assistant";
}

/** Where a message has parts, this is their text again. */
export function textOf(part: Part): string {
  return part.content ?? part.text ?? "";
}
