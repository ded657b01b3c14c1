import type { ProviderPlugin } from "weir/plugin";

/** SambaNova. */
export default {
  apiVersion: 1,
  name: "SAMBANOVA",
  hosts: ["api.sambanova.ai"],
  target: "https://api.sambanova.ai",
  dedicatedDomain: "sambanova",
  extends: "OPENAI",
} satisfies ProviderPlugin;
