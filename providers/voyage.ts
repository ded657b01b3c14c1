import type { ProviderPlugin } from "weir/plugin";

/** Voyage AI: embeddings and rerank. */
export default {
  apiVersion: 1,
  name: "VOYAGE",
  aliases: ["voyage-ai"],
  hosts: ["api.voyageai.com", "ai.mongodb.com"],
  target: "https://api.voyageai.com",
  dedicatedDomain: "voyage",
  extends: "OPENAI",
  shapes: ["embeddings"],
  wireSchemas: [{ path: /\/(?:multimodal|contextualized)embeddings$/, schema: "embeddings" }],
} satisfies ProviderPlugin;
