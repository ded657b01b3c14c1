import type { ProviderPlugin } from "weir/plugin";

/** Groq. Older streams have their usage under `x_groq`, which the format's reader handles. */
export default {
  apiVersion: 1,
  name: "GROQ",
  hosts: ["api.groq.com"],
  target: "https://api.groq.com",
  dedicatedDomain: "groq",
  extends: "OPENAI",
  basePath: "/openai/v1",
  // It refuses `previous_response_id`. Source: Groq's page on its Responses API.
  shapes: ["chat-completions", { shape: "responses", place: { stateless: true } }],
  // It has no web search of OpenAI's form, in neither shape.
  models: [{ match: "*", rejects: ["web_search_options", "web_search"] }],
} satisfies ProviderPlugin;
