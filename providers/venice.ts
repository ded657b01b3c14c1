import type { ProviderPlugin } from "weir/plugin";

/** Venice. */
export default {
  apiVersion: 1,
  name: "VENICE",
  hosts: ["api.venice.ai"],
  target: "https://api.venice.ai",
  dedicatedDomain: "venice",
  extends: "OPENAI",
  basePath: "/api/v1",
} satisfies ProviderPlugin;
