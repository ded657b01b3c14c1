import type { ProviderPlugin } from "weir/plugin";

/** Featherless. */
export default {
  apiVersion: 1,
  name: "FEATHERLESS",
  hosts: ["api.featherless.ai"],
  target: "https://api.featherless.ai",
  dedicatedDomain: "featherless",
  extends: "OPENAI",
} satisfies ProviderPlugin;
