import type { ProviderPlugin } from "weir/plugin";

/** Z.ai and BigModel: GLM models, with OpenAI's API and, under `anthropic`, with Anthropic's. */
export default {
  apiVersion: 1,
  name: "ZAI",
  aliases: ["zhipu", "zhipuai", "bigmodel"],
  hosts: ["api.z.ai", "open.bigmodel.cn"],
  target: "https://api.z.ai",
  dedicatedDomain: "zai",
  extends: "OPENAI",
  basePath: "/api/paas/v4",
  shapes: ["chat-completions", { shape: "messages", path: () => "/api/anthropic/v1/messages" }],
  // Of formats it has only text and JSON objects. Its models think on with the reasoning before their calls.
  // It forces no tool. Models since GLM-5.3 always think. Source: Z.ai's pages on function calling and on thinking mode.
  models: [
    {
      match: "*",
      rejects: ["tool_choice"],
      jsonSchema: false,
      reasoningMember: "reasoning_content",
      thinkingSwitch: true,
    },
    { match: "glm-5.3*", mustThink: true, efforts: ["low", "high", "max"] },
  ],
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
} satisfies ProviderPlugin;
