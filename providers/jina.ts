import type { ProviderPlugin } from "weir/plugin";

/** Jina AI: embeddings, rerank, reader, search. */
export default {
  apiVersion: 1,
  name: "JINA",
  aliases: ["jina-ai"],
  hosts: ["api.jina.ai", "r.jina.ai", "s.jina.ai", "deepsearch.jina.ai"],
  target: "https://api.jina.ai",
  dedicatedDomain: "jina",
  extends: "OPENAI",
  shapes: ["embeddings"],
} satisfies ProviderPlugin;
