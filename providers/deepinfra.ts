import type { ProviderPlugin } from "weir/plugin";

/**
 * DeepInfra. It states an estimated cost in `usage.estimated_cost`; `v1/inference` has its own format, with counts at the
 * top level.
 */
export default {
  apiVersion: 1,
  name: "DEEPINFRA",
  hosts: ["api.deepinfra.com"],
  target: "https://api.deepinfra.com",
  dedicatedDomain: "deepinfra",
  extends: "OPENAI",
  basePath: "/v1/openai",
  wireSchemas: [
    { path: /\/messages(?:\/count_tokens)?$/, schema: "messages" },
    { path: /\/v1\/inference\/.+$/, schema: "text-generation" },
  ],

  readResponse: (body) => {
    const { num_input_tokens, num_tokens, inference_status: status } = body ?? {};
    const counts = { prompt_tokens: num_input_tokens, completion_tokens: num_tokens };
    const usage = Object.fromEntries(Object.entries(counts).filter(([, count]) => Number.isSafeInteger(count)));
    return {
      ...(Object.keys(usage).length > 0 && { usage }),
      ...(typeof status?.cost === "number" && { cost: status.cost }),
    };
  },
  // Its chat completions have no web search.
  models: [{ match: "*", rejects: ["web_search_options"] }],
} satisfies ProviderPlugin;
