import type { ProviderPlugin } from "weir/plugin";

/**
 * Amazon Bedrock. An invocation has the form of the model's own maker, so several formats share its path: the first whose
 * bodies fit is meant. Embeddings and pictures are told by the model's name.
 */
export default {
  apiVersion: 1,
  name: "AWS",
  aliases: ["bedrock", "aws-bedrock", "amazon-bedrock", "amazon"],
  hosts: [
    "bedrock-runtime.*.amazonaws.com",
    "bedrock-runtime-fips.*.amazonaws.com",
    "bedrock-agent-runtime.*.amazonaws.com",
    "bedrock-mantle.*.api.aws",
    "bedrock-runtime.*.amazonaws.com.cn",
  ],
  mask: { headers: ["x-amz-security-token"], query: ["x-amz-signature", "x-amz-credential", "x-amz-security-token"] },
  wireSchemas: [
    { path: /\/converse(?:-stream)?$/, schema: "converse" },
    { path: /\/model\/[^/]*embed[^/]*\/invoke$/, schema: "embeddings" },
    { path: /\/model\/[^/]*rerank[^/]*\/invoke$/, schema: "rerank" },
    { path: /\/model\/[^/]*(?:image|canvas|stability|stable)[^/]*\/invoke$/, schema: "images" },
    { path: /\/invoke(?:-with-response-stream)?$/, schema: "converse" },
    { path: /\/invoke(?:-with-response-stream)?$/, schema: "messages" },
    { path: /\/invoke(?:-with-response-stream)?$/, schema: "chat-completions" },
    { path: /\/invoke(?:-with-response-stream)?$/, schema: "text-generation" },
    { path: /\/chat\/completions(?:\/[^/]+)?$/, schema: "chat-completions" },
    { path: /\/responses(?:\/[^/]+)?(?:\/(?:cancel|compact|input_tokens))?$/, schema: "responses" },
  ],
} satisfies ProviderPlugin;
