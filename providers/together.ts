import type { ProviderPlugin } from "weir/plugin";

/** Together AI. */
export default {
  apiVersion: 1,
  name: "TOGETHER",
  aliases: ["together-ai"],
  hosts: ["api.together.xyz", "api.together.ai"],
  target: "https://api.together.xyz",
  dedicatedDomain: "together",
  extends: "OPENAI",
  // Its chat completions have no web search.
  models: [{ match: "*", rejects: ["web_search_options"] }],
} satisfies ProviderPlugin;
