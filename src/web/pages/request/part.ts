import type { LlmMessage, LlmResponseItem } from "../../../record/llm-schema.ts";

/** A message of a request or a response, in either of llmSchema's two shapes. */
export type LlmPart = Partial<LlmMessage & LlmResponseItem>;

/** The role of a message, as distinguished by colour. */
export function tone(role: string): "system" | "user" | "assistant" | "tool" {
  if (role === "system" || role === "developer") return "system";
  if (role === "user") return "user";
  return role === "tool" || role === "function" ? "tool" : "assistant";
}

/** If a message has parts, this repeats their text. */
export function textOf(part: LlmPart): string {
  return part.content ?? part.text ?? "";
}
