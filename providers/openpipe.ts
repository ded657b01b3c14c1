import type { ProviderPlugin } from "weir/plugin";

/** OpenPipe. */
export default {
  apiVersion: 1,
  name: "OPENPIPE",
  hosts: ["api.openpipe.ai", "app.openpipe.ai"],
  target: "https://api.openpipe.ai",
  dedicatedDomain: "openpipe",
  extends: "OPENAI",
  basePath: "/api/v1",
} satisfies ProviderPlugin;
