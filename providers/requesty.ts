import type { ProviderPlugin } from "weir/plugin";

/** Requesty. */
export default {
  apiVersion: 1,
  name: "REQUESTY",
  hosts: ["router.requesty.ai", "router.eu.requesty.ai"],
  target: "https://router.requesty.ai",
  dedicatedDomain: "requesty",
  extends: "OPENAI",
} satisfies ProviderPlugin;
