import type { ProviderPlugin } from "weir/plugin";

/**
 * Cloudflare: its gateway, whose paths end like those of the provider behind it, and Workers AI, which wraps its responses.
 */
export default {
  apiVersion: 1,
  name: "CLOUDFLARE",
  aliases: ["workers-ai", "cloudflare-workers-ai", "cloudflare-ai-gateway"],
  hosts: ["gateway.ai.cloudflare.com", "api.cloudflare.com"],
  target: "https://gateway.ai.cloudflare.com",
  dedicatedDomain: "cloudflare",
  extends: "OPENAI",
  credential: {
    secret: ["api_key"],
    settings: { account_id: { type: "string" }, gateway_id: { type: "string", default: "default" } },
    required: ["account_id"],
  },
  shapes: [
    {
      shape: "chat-completions",
      path: ({ settings }) => `/v1/${settings["account_id"]}/${settings["gateway_id"]}/compat/chat/completions`,
    },
    {
      shape: "embeddings",
      path: ({ settings }) => `/v1/${settings["account_id"]}/${settings["gateway_id"]}/compat/embeddings`,
    },
  ],
  mask: { headers: ["cf-aig-authorization", "x-auth-key"] },
  wireSchemas: [
    { path: /\/messages(?:\/count_tokens)?$/, schema: "messages" },
    { path: /:(?:generateContent|streamGenerateContent)$/, schema: "generate-content" },
    { path: /\/converse(?:-stream)?$/, schema: "converse" },
    { path: /\/(?:ai\/run|workers-ai)\/@.*(?:embedding|bge-).*$/, schema: "embeddings" },
    { path: /\/(?:ai\/run|workers-ai)\/@.+$/, schema: "chat-completions" },
    { path: /\/(?:ai\/run|workers-ai)\/@.+$/, schema: "text-generation" },
  ],
} satisfies ProviderPlugin;
