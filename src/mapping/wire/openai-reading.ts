import type { Json, Reading } from "../../plugin-host/contract.ts";
import { statedCost } from "../errors-and-costs.ts";
import { filledText, isObject, type JsonObject, listOf, pickDefined } from "../json.ts";
import { openAiUsage } from "../usage.ts";

/** Reads a response in OpenAI's format: `id`, `model` and `usage` are at the top level, or inside Cloudflare's `result`. */
export function readOpenAi(response: Json): Reading {
  const body = isObject(response?.result) && response.usage === undefined ? response.result : response;
  const usage = usageBlock(body);
  return pickDefined({
    id: filledText(body?.id),
    model: filledText(body?.model),
    usage: openAiUsage(usage),
    usageRaw: isObject(usage) ? withTier(usage, body.service_tier) : undefined,
    cost: statedCost(usage),
  });
}

/** The service tier is beside the usage, and affects the cost. */
function withTier(usage: JsonObject, tier: Json): JsonObject {
  return typeof tier === "string" ? { ...usage, service_tier: tier } : usage;
}

/** Older Groq streams put the block into `x_groq`, Moonshot's into the choice; llama.cpp reports cached tokens beside it. */
function usageBlock(body: Json): Json {
  const usage = [body?.usage, body?.x_groq?.usage, listOf(body?.choices)[0]?.usage].find(isObject);
  const cached = body?.timings?.cache_n;
  if (!isObject(usage) || !(cached > 0) || isObject(usage.prompt_tokens_details)) return usage;
  return { ...usage, prompt_tokens_details: { cached_tokens: cached } };
}
