import type { ProviderPlugin } from "weir/plugin";

/** Lemonfox. */
export default {
  apiVersion: 1,
  name: "LEMONFOX",
  hosts: ["api.lemonfox.ai"],
  target: "https://api.lemonfox.ai",
  dedicatedDomain: "lemonfox",
  extends: "OPENAI",
} satisfies ProviderPlugin;
