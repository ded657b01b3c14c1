import type { ProviderPlugin } from "weir/plugin";

/** Upstage. */
export default {
  apiVersion: 1,
  name: "UPSTAGE",
  hosts: ["api.upstage.ai"],
  target: "https://api.upstage.ai",
  dedicatedDomain: "upstage",
  extends: "OPENAI",
} satisfies ProviderPlugin;
