import type { ProviderPlugin } from "weir/plugin";

/** Parasail. */
export default {
  apiVersion: 1,
  name: "PARASAIL",
  hosts: ["api.parasail.io"],
  target: "https://api.parasail.io",
  dedicatedDomain: "parasail",
  extends: "OPENAI",
} satisfies ProviderPlugin;
