import type { ProviderPlugin } from "weir/plugin";

/** Anyscale Endpoints. */
export default {
  apiVersion: 1,
  name: "ANYSCALE",
  hosts: ["api.endpoints.anyscale.com"],
  target: "https://api.endpoints.anyscale.com",
  dedicatedDomain: "anyscale",
  extends: "OPENAI",
} satisfies ProviderPlugin;
