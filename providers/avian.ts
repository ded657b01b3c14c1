import type { ProviderPlugin } from "weir/plugin";

/** Avian. */
export default {
  apiVersion: 1,
  name: "AVIAN",
  hosts: ["api.avian.io"],
  target: "https://api.avian.io",
  dedicatedDomain: "avian",
  extends: "OPENAI",
} satisfies ProviderPlugin;
