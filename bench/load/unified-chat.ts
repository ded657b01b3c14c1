import type { Credential } from "../../src/routing/credential.ts";
import { credential } from "../../test/routing/things.ts";
import { REQUEST_BODY, RESPONSE_BODY } from "./wrk.ts";

const TEXT = "What is the capital of France, and why? ".repeat(45);

/** A response in chat completions' shape. */
export const CHAT = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m-1",
  choices: [{ index: 0, message: { role: "assistant", content: "Paris. ".repeat(60) }, finish_reason: "stop" }],
  usage: { prompt_tokens: 450, completion_tokens: 120, total_tokens: 570 },
});

/** A response in Messages' shape. */
export const MESSAGE = JSON.stringify({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-1",
  content: [{ type: "text", text: "Paris. ".repeat(60) }],
  stop_reason: "end_turn",
  usage: { input_tokens: 450, output_tokens: 120 },
});

/** A chat request of 2 kB. */
export const chatRequest = (model: string): string =>
  JSON.stringify({ model, messages: [{ role: "user", content: TEXT }], max_tokens: 200 });

/** The two bodies of a kind of request in `request-in-memory.ts`, and the credentials that it needs. */
interface Kind {
  readonly isUnified: boolean;
  readonly request: string;
  readonly response: string;
  readonly credentials: readonly Credential[];
}

const stored = (provider: string) =>
  credential(provider, provider, { organizationId: "org-1", baseUrl: "http://127.0.0.1:9" });

export const KINDS: Readonly<Record<string, Kind>> = {
  small: { isUnified: false, request: REQUEST_BODY, response: RESPONSE_BODY, credentials: [] },
  passed: { isUnified: false, request: chatRequest("m-1"), response: CHAT, credentials: [] },
  same: { isUnified: true, request: chatRequest("groq/m-1"), response: CHAT, credentials: [stored("GROQ")] },
  translated: {
    isUnified: true,
    request: chatRequest("anthropic/claude-1"),
    response: MESSAGE,
    credentials: [stored("ANTHROPIC")],
  },
};
