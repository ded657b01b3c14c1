import type { ProviderPlugin } from "weir/plugin";

/** Scaleway. */
export default {
  apiVersion: 1,
  name: "SCALEWAY",
  hosts: ["api.scaleway.ai"],
  target: "https://api.scaleway.ai",
  dedicatedDomain: "scaleway",
  extends: "OPENAI",
} satisfies ProviderPlugin;
