import type { ProviderPlugin } from "weir/plugin";

/** OpenRouter. It states what each request cost; where the caller brought a key of the model's maker, in the details. */
export default {
  apiVersion: 1,
  name: "OPENROUTER",
  hosts: ["openrouter.ai", "*.openrouter.ai"],
  target: "https://openrouter.ai",
  dedicatedDomain: "openrouter",
  extends: "OPENAI",
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
} satisfies ProviderPlugin;
