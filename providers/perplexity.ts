import type { ProviderPlugin } from "weir/plugin";

/** Perplexity. It states the cost of each request, including its fee per request. */
export default {
  apiVersion: 1,
  name: "PERPLEXITY",
  aliases: ["pplx", "perplexity-ai"],
  hosts: ["api.perplexity.ai"],
  target: "https://api.perplexity.ai",
  dedicatedDomain: "perplexity",
  extends: "OPENAI",
  basePath: "",
} satisfies ProviderPlugin;
