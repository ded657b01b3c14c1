import type { ProviderPlugin } from "weir/plugin";

/** Stability AI: pictures. Its forms are its own and stay as they came. */
export default {
  apiVersion: 1,
  name: "STABILITY",
  aliases: ["stability-ai"],
  hosts: ["api.stability.ai"],
  target: "https://api.stability.ai",
  dedicatedDomain: "stability",
} satisfies ProviderPlugin;
