import type { ProviderPlugin } from "weir/plugin";

/** DeepInfra. It states an estimated cost in `usage.estimated_cost`; `v1/inference` is its own format. */
export default {
  apiVersion: 1,
  name: "DEEPINFRA",
  hosts: ["api.deepinfra.com"],
  target: "https://api.deepinfra.com",
  dedicatedDomain: "deepinfra",
  extends: "OPENAI",
  wireSchemas: [
    { path: /\/messages(?:\/count_tokens)?$/, schema: "messages" },
    { path: /\/v1\/inference\/.+$/, schema: "text-generation" },
  ],
} satisfies ProviderPlugin;
