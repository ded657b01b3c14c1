import type { ProviderPlugin } from "weir/plugin";

/** GitHub Models. */
export default {
  apiVersion: 1,
  name: "GITHUB",
  aliases: ["github-models"],
  hosts: ["models.github.ai", "models.inference.ai.azure.com"],
  target: "https://models.github.ai",
  dedicatedDomain: "github",
  extends: "OPENAI",
  basePath: "/inference",
} satisfies ProviderPlugin;
