import type { ProviderPlugin } from "weir/plugin";

/** Nebius. */
export default {
  apiVersion: 1,
  name: "NEBIUS",
  hosts: [
    "api.studio.nebius.com",
    "api.studio.nebius.ai",
    "api.tokenfactory.nebius.com",
    "*.api.tokenfactory.nebius.com",
  ],
  target: "https://api.tokenfactory.nebius.com",
  dedicatedDomain: "nebius",
  extends: "OPENAI",
} satisfies ProviderPlugin;
