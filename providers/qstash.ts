import type { ProviderPlugin } from "weir/plugin";

/** Upstash QStash: a queue of messages, which also carries chat completions. */
export default {
  apiVersion: 1,
  name: "QSTASH",
  aliases: ["upstash"],
  hosts: ["qstash.upstash.io", "qstash-*.upstash.io"],
  target: "https://qstash.upstash.io",
  dedicatedDomain: "qstash",
  extends: "OPENAI",
  basePath: "/llm/v1",
  mask: { headers: ["upstash-forward-authorization"] },
} satisfies ProviderPlugin;
