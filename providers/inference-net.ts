import type { ProviderPlugin } from "weir/plugin";

/** Inference.net. */
export default {
  apiVersion: 1,
  name: "INFERENCE_NET",
  hosts: ["api.inference.net"],
  target: "https://api.inference.net",
  dedicatedDomain: "inference-net",
  extends: "OPENAI",
} satisfies ProviderPlugin;
