import type { ProviderPlugin } from "weir/plugin";

/**
 * Google: Gemini on AI Studio and on Vertex. Vertex also carries Claude (`rawPredict` with Anthropic's messages), Mistral
 * (the same with chat completions) and pictures and embeddings under `predict`; there the bodies tell which it is.
 */
export default {
  apiVersion: 1,
  name: "GOOGLE",
  aliases: ["gemini", "google-ai-studio", "vertex", "vertex-ai", "google-vertex", "google-vertex-ai"],
  hosts: [
    "generativelanguage.googleapis.com",
    "aiplatform.googleapis.com",
    "*-aiplatform.googleapis.com",
    "aiplatform.us.rep.googleapis.com",
    "aiplatform.eu.rep.googleapis.com",
  ],
  target: "https://generativelanguage.googleapis.com",
  dedicatedDomain: "google",
  mask: { query: ["key", "access_token"] },
  wireSchemas: [
    { path: /:(?:generateContent|streamGenerateContent|countTokens)$/, schema: "generate-content" },
    { path: /:(?:embedContent|batchEmbedContents)$/, schema: "embeddings" },
    { path: /\/interactions(?:\/[^/]+)?$/, schema: "interactions" },
    { path: /\/publishers\/anthropic\/models\/[^/]+:(?:rawPredict|streamRawPredict)$/, schema: "messages" },
    { path: /:(?:rawPredict|streamRawPredict)$/, schema: "chat-completions" },
    { path: /imagen[^/]*:predict$/, schema: "images" },
    { path: /embedding[^/]*:predict$/, schema: "embeddings" },
    { path: /\/openai\/embeddings$/, schema: "embeddings" },
    { path: /\/openai\/images\/generations$/, schema: "images" },
    { path: /\/chat\/completions$/, schema: "chat-completions" },
  ],
} satisfies ProviderPlugin;
