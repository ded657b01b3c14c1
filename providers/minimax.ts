import type { ProviderPlugin } from "weir/plugin";

/** MiniMax, with OpenAI's API and, under `anthropic`, with Anthropic's. Its own failures have status 200. */
export default {
  apiVersion: 1,
  name: "MINIMAX",
  hosts: ["api.minimax.io", "api.minimaxi.com", "api.minimax.chat"],
  target: "https://api.minimax.io",
  dedicatedDomain: "minimax",
  extends: "OPENAI",
  shapes: ["chat-completions", { shape: "messages", path: () => "/anthropic/v1/messages" }],
  wireSchemas: [
    { path: /\/messages(?:\/count_tokens)?$/, schema: "messages" },
    { path: /\/text\/chatcompletion_v2$/, schema: "chat-completions" },
  ],

  readResponse: (body) => {
    const { status_code: code, status_msg: message } = body?.base_resp ?? {};
    return typeof code === "number" && code !== 0 ? { error: { message: `${message}`, type: `${code}` } } : {};
  },
} satisfies ProviderPlugin;
