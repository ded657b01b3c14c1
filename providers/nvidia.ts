import type { ProviderPlugin } from "weir/plugin";

/** NVIDIA NIM, hosted. */
export default {
  apiVersion: 1,
  name: "NVIDIA",
  aliases: ["nvidia-nim", "nim"],
  hosts: ["integrate.api.nvidia.com", "ai.api.nvidia.com"],
  target: "https://integrate.api.nvidia.com",
  dedicatedDomain: "nvidia",
  extends: "OPENAI",
  wireSchemas: [{ path: /\/(?:ranking|reranking)$/, schema: "rerank" }],
} satisfies ProviderPlugin;
