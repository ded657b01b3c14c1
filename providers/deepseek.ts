import type { ProviderPlugin } from "weir/plugin";

/** DeepSeek, with OpenAI's API and, under `anthropic`, with Anthropic's. */
export default {
  apiVersion: 1,
  name: "DEEPSEEK",
  hosts: ["api.deepseek.com"],
  target: "https://api.deepseek.com",
  dedicatedDomain: "deepseek",
  extends: "OPENAI",
  shapes: ["chat-completions", { shape: "messages", path: () => "/anthropic/v1/messages" }],
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
  // It has no web search, in neither shape, and of formats only text and JSON objects. A model that
  // thinks refuses its calls without the reasoning before them. Source: DeepSeek's page on thinking mode.
  models: [
    {
      match: "*",
      rejects: ["web_search_options", "web_search"],
      jsonSchema: false,
      reasoningMember: "reasoning_content",
    },
  ],
} satisfies ProviderPlugin;
