import type { ProviderPlugin } from "weir/plugin";

/** SambaNova. */
export default {
  apiVersion: 1,
  name: "SAMBANOVA",
  hosts: ["api.sambanova.ai"],
  target: "https://api.sambanova.ai",
  dedicatedDomain: "sambanova",
  extends: "OPENAI",
  // Its chat completions have no web search.
  models: [{ match: "*", rejects: ["web_search_options"] }],
} satisfies ProviderPlugin;
