import type { ProviderPlugin } from "weir/plugin";

/** IBM watsonx. The model is in `model_id`; a stream counts the prompt only in its first event. */
export default {
  apiVersion: 1,
  name: "WATSONX",
  aliases: ["ibm", "watson", "watsonx-ai"],
  hosts: ["*.ml.cloud.ibm.com"],
  target: "https://us-south.ml.cloud.ibm.com",
  dedicatedDomain: "watsonx",
  wireSchemas: [
    { path: /\/text\/chat(?:_stream)?$/, schema: "chat-completions" },
    { path: /\/text\/generation(?:_stream)?$/, schema: "text-generation" },
    { path: /\/text\/embeddings$/, schema: "embeddings" },
    { path: /\/text\/rerank$/, schema: "rerank" },
  ],
} satisfies ProviderPlugin;
