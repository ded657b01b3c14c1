import type { ProviderPlugin } from "weir/plugin";

/** Crusoe. */
export default {
  apiVersion: 1,
  name: "CRUSOE",
  aliases: ["crusoe-cloud"],
  hosts: ["api.inference.crusoecloud.com", "managed-inference-api-proxy.crusoecloud.com"],
  target: "https://api.inference.crusoecloud.com",
  dedicatedDomain: "crusoe",
  extends: "OPENAI",
} satisfies ProviderPlugin;
