import type { ProviderPlugin } from "weir/plugin";

/** Stability AI: pictures. Its formats are its own; bodies are kept as received. */
export default {
  apiVersion: 1,
  name: "STABILITY",
  aliases: ["stability-ai"],
  hosts: ["api.stability.ai"],
  target: "https://api.stability.ai",
  dedicatedDomain: "stability",
} satisfies ProviderPlugin;
