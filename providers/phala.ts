import type { ProviderPlugin } from "weir/plugin";

/** Phala. */
export default {
  apiVersion: 1,
  name: "PHALA",
  aliases: ["redpill"],
  hosts: ["api.redpill.ai"],
  target: "https://api.redpill.ai",
  dedicatedDomain: "phala",
  extends: "OPENAI",
} satisfies ProviderPlugin;
