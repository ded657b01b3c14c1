import type { ProviderPlugin } from "weir/plugin";

/** Moonshot: Kimi models, with OpenAI's API and, under `anthropic`, with Anthropic's. */
export default {
  apiVersion: 1,
  name: "MOONSHOT",
  aliases: ["moonshotai", "kimi"],
  hosts: ["api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"],
  target: "https://api.moonshot.ai",
  dedicatedDomain: "moonshot",
  extends: "OPENAI",
  shapes: ["chat-completions", { shape: "messages", path: () => "/anthropic/v1/messages" }],
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
  // Its chat completions have no web search.
  models: [{ match: "*", rejects: ["web_search_options"] }],
} satisfies ProviderPlugin;
