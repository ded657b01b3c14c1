import type { ProviderPlugin } from "weir/plugin";

/** Cerebras. */
export default {
  apiVersion: 1,
  name: "CEREBRAS",
  hosts: ["api.cerebras.ai"],
  target: "https://api.cerebras.ai",
  dedicatedDomain: "cerebras",
  extends: "OPENAI",
} satisfies ProviderPlugin;
