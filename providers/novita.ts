import type { ProviderPlugin } from "weir/plugin";

/** Novita AI. */
export default {
  apiVersion: 1,
  name: "NOVITA",
  aliases: ["novita-ai"],
  hosts: ["api.novita.ai"],
  target: "https://api.novita.ai",
  dedicatedDomain: "novita",
  extends: "OPENAI",
  basePath: "/openai/v1",
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
} satisfies ProviderPlugin;
