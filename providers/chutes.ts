import type { ProviderPlugin } from "weir/plugin";

/** Chutes. */
export default {
  apiVersion: 1,
  name: "CHUTES",
  hosts: ["llm.chutes.ai", "*.chutes.ai"],
  target: "https://llm.chutes.ai",
  dedicatedDomain: "chutes",
  extends: "OPENAI",
} satisfies ProviderPlugin;
