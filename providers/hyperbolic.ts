import type { ProviderPlugin } from "weir/plugin";

/** Hyperbolic. */
export default {
  apiVersion: 1,
  name: "HYPERBOLIC",
  hosts: ["api.hyperbolic.xyz"],
  target: "https://api.hyperbolic.xyz",
  dedicatedDomain: "hyperbolic",
  extends: "OPENAI",
} satisfies ProviderPlugin;
