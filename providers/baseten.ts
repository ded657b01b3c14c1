import type { ProviderPlugin } from "weir/plugin";

/** Baseten. */
export default {
  apiVersion: 1,
  name: "BASETEN",
  hosts: ["inference.baseten.co", "*.api.baseten.co"],
  target: "https://inference.baseten.co",
  dedicatedDomain: "baseten",
  extends: "OPENAI",
} satisfies ProviderPlugin;
