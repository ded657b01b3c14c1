import type { ProviderPlugin } from "weir/plugin";

/** SiliconFlow. */
export default {
  apiVersion: 1,
  name: "SILICONFLOW",
  hosts: ["api.siliconflow.com", "api.siliconflow.cn"],
  target: "https://api.siliconflow.com",
  dedicatedDomain: "siliconflow",
  extends: "OPENAI",
} satisfies ProviderPlugin;
