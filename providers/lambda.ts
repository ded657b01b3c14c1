import type { ProviderPlugin } from "weir/plugin";

/** Lambda. */
export default {
  apiVersion: 1,
  name: "LAMBDA",
  aliases: ["lambdalabs"],
  hosts: ["api.lambda.ai", "api.lambdalabs.com"],
  target: "https://api.lambda.ai",
  dedicatedDomain: "lambda",
  extends: "OPENAI",
} satisfies ProviderPlugin;
