import type { ProviderPlugin } from "weir/plugin";

/** Cerebras. */
export default {
  apiVersion: 1,
  name: "CEREBRAS",
  hosts: ["api.cerebras.ai"],
  target: "https://api.cerebras.ai",
  dedicatedDomain: "cerebras",
  extends: "OPENAI",
  // Its chat completions have no web search.
  models: [{ match: "*", rejects: ["web_search_options"] }],
} satisfies ProviderPlugin;
