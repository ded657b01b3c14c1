import type { ProviderPlugin } from "weir/plugin";

const NO_SEARCH = ["web_search_options", "web_search"];
const SAMPLING = ["temperature", "top_p", "presence_penalty", "frequency_penalty"];

/** Moonshot: Kimi models, with OpenAI's API and, under `anthropic`, with Anthropic's. */
export default {
  apiVersion: 1,
  name: "MOONSHOT",
  aliases: ["moonshotai", "kimi"],
  hosts: ["api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"],
  target: "https://api.moonshot.ai",
  dedicatedDomain: "moonshot",
  extends: "OPENAI",
  // Its chat completions see images only as bytes. Source: Moonshot's page on vision models.
  shapes: [
    { shape: "chat-completions", place: { bytesOnly: true } },
    { shape: "messages", path: () => "/anthropic/v1/messages" },
  ],
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
  // It has no web search, in neither shape. A model that thinks refuses its calls without the reasoning before them.
  // Kimi K2.5 and K2.6 think or not; later ones always think, since K3 with an effort. All of these have fixed sampling.
  // Source: Moonshot's pages on thinking and on moving from OpenAI.
  models: [
    { match: "*", rejects: NO_SEARCH, reasoningMember: "reasoning_content" },
    { match: "kimi-*", thinkingSwitch: true, rejects: [...NO_SEARCH, ...SAMPLING] },
    { match: "kimi-k2.7*", mustThink: true, rejects: [...NO_SEARCH, ...SAMPLING, "tool_choice"] },
    { match: "kimi-k3*", mustThink: true, thinksWhenForced: true, efforts: ["low", "high", "max"] },
  ],
} satisfies ProviderPlugin;
