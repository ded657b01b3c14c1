import type { ProviderPlugin } from "weir/plugin";

/** Inception Labs. */
export default {
  apiVersion: 1,
  name: "INCEPTION",
  aliases: ["inceptionlabs"],
  hosts: ["api.inceptionlabs.ai"],
  target: "https://api.inceptionlabs.ai",
  dedicatedDomain: "inception",
  extends: "OPENAI",
} satisfies ProviderPlugin;
