import type { ProviderPlugin } from "weir/plugin";

/**
 * Azure OpenAI and Azure AI Foundry. Every customer has hosts of their own, so there is no address that its own gateway
 * address could forward to. The deployment in the path stands in for the model where the body names none.
 */
export default {
  apiVersion: 1,
  name: "AZURE",
  aliases: ["azure-openai", "azure-ai"],
  hosts: [
    "*.openai.azure.com",
    "*.services.ai.azure.com",
    "*.cognitiveservices.azure.com",
    "*.models.ai.azure.com",
    "*.inference.ai.azure.com",
    "*.openai.azure.us",
  ],
  extends: "OPENAI",
  mask: { headers: ["ocp-apim-subscription-key"], query: ["api-key", "subscription-key"] },
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
} satisfies ProviderPlugin;
