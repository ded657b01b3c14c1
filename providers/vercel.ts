import type { ProviderPlugin } from "weir/plugin";

/** Vercel AI Gateway and v0. It states costs; in front of Gemini, its `completion_tokens` exclude reasoning. */
export default {
  apiVersion: 1,
  name: "VERCEL",
  aliases: ["vercel-ai-gateway", "vercel-gateway", "v0"],
  hosts: ["ai-gateway.vercel.sh", "api.v0.dev"],
  target: "https://ai-gateway.vercel.sh",
  dedicatedDomain: "vercel",
  extends: "OPENAI",
  shapes: ["chat-completions", "responses", "messages", "embeddings"],
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
} satisfies ProviderPlugin;
