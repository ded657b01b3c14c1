import type { ProviderPlugin } from "weir/plugin";

/** Writer. */
export default {
  apiVersion: 1,
  name: "WRITER",
  hosts: ["api.writer.com"],
  target: "https://api.writer.com",
  dedicatedDomain: "writer",
  extends: "OPENAI",
} satisfies ProviderPlugin;
