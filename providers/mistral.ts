import type { ProviderPlugin } from "weir/plugin";

/** Mistral. Fill-in-the-middle and agent completions respond like chats. */
export default {
  apiVersion: 1,
  name: "MISTRAL",
  aliases: ["mistral-ai"],
  hosts: ["api.mistral.ai", "codestral.mistral.ai"],
  target: "https://api.mistral.ai",
  dedicatedDomain: "mistral",
  extends: "OPENAI",
  wireSchemas: [{ path: /\/(?:fim|agents)\/completions$/, schema: "chat-completions" }],
  // Its chat completions refuse members and parts that they do not know, and ids of calls in another form.
  models: [
    {
      match: "*",
      seedName: "random_seed",
      callIdLength: 9,
      documentUrl: true,
      prefixNeeded: true,
      rejects: [
        "audio",
        "logit_bias",
        "logprobs",
        "modalities",
        "service_tier",
        "store",
        "stream_options",
        "top_k",
        "top_logprobs",
        "user",
        "verbosity",
        "web_search_options",
      ],
    },
  ],
} satisfies ProviderPlugin;
