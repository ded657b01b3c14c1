import type { ProviderPlugin } from "weir/plugin";

/**
 * DeepSeek, with OpenAI's API and, under `anthropic`, with Anthropic's. Its Responses API is not among the shapes: it keeps no
 * responses and ignores all tools but functions, while a translated request has both. Source: DeepSeek's page on that API.
 */
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
  // thinks refuses its calls without the reasoning before them, and forced tools. It takes every effort but `none`, also `max`,
  // and of files images only. Source: DeepSeek's pages on thinking mode and on vision.
  models: [
    {
      match: "*",
      rejects: ["web_search_options", "web_search"],
      input: ["text", "image"],
      jsonSchema: false,
      reasoningMember: "reasoning_content",
      thinkingSwitch: true,
      efforts: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
    },
  ],
} satisfies ProviderPlugin;
