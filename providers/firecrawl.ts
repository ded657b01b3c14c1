import type { ProviderPlugin } from "weir/plugin";

/** Firecrawl: search and scraping for agents. It has no model, so there is nothing to map. */
export default {
  apiVersion: 1,
  name: "FIRECRAWL",
  hosts: ["api.firecrawl.dev"],
  target: "https://api.firecrawl.dev",
  dedicatedDomain: "firecrawl",
} satisfies ProviderPlugin;
