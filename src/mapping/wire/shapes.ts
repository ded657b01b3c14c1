import type { Shape } from "../../plugin-host/contract.ts";
import { chatCompletionsShape } from "./chat-completions/shape.ts";
import { cohereChatShape } from "./cohere-chat/shape.ts";
import { completionsShape } from "./completions/shape.ts";
import { converseShape } from "./converse/shape.ts";
import { generateContentShape } from "./generate-content/shape.ts";
import { messagesShape } from "./messages/shape.ts";
import { ollamaChatShape } from "./ollama-chat/shape.ts";
import { responsesShape } from "./responses/shape.ts";

/** The shapes that Weir can translate, by name. A drop-in's shapes have the same type. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  "chat-completions": chatCompletionsShape,
  responses: responsesShape,
  messages: messagesShape,
  completions: completionsShape,
  "generate-content": generateContentShape,
  converse: converseShape,
  "cohere-chat": cohereChatShape,
  "ollama-chat": ollamaChatShape,
};
