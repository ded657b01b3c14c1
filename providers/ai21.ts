import type { ProviderPlugin } from "weir/plugin";

/** AI21: Jamba with OpenAI's API, Jurassic with its own. */
export default {
  apiVersion: 1,
  name: "AI21",
  aliases: ["ai21labs"],
  hosts: ["api.ai21.com"],
  target: "https://api.ai21.com",
  dedicatedDomain: "ai21",
  extends: "OPENAI",
  basePath: "/studio/v1",
  wireSchemas: [
    { path: /\/complete$/, schema: "text-generation" },
    { path: /\/embed$/, schema: "embeddings" },
  ],
} satisfies ProviderPlugin;
