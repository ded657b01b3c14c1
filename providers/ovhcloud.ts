import type { ProviderPlugin } from "weir/plugin";

/** OVHcloud AI Endpoints. */
export default {
  apiVersion: 1,
  name: "OVHCLOUD",
  aliases: ["ovh"],
  hosts: ["oai.endpoints.kepler.ai.cloud.ovh.net", "*.endpoints.kepler.ai.cloud.ovh.net"],
  target: "https://oai.endpoints.kepler.ai.cloud.ovh.net",
  dedicatedDomain: "ovhcloud",
  extends: "OPENAI",
} satisfies ProviderPlugin;
