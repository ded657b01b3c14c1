import type { ProviderPlugin } from "weir/plugin";

/** kluster.ai. */
export default {
  apiVersion: 1,
  name: "KLUSTER",
  aliases: ["klusterai"],
  hosts: ["api.kluster.ai"],
  target: "https://api.kluster.ai",
  dedicatedDomain: "kluster",
  extends: "OPENAI",
} satisfies ProviderPlugin;
