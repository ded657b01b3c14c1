import type { ProviderPlugin } from "weir/plugin";

/** Alibaba Cloud Model Studio: Qwen models, with OpenAI's API under `compatible-mode`. */
export default {
  apiVersion: 1,
  name: "ALIBABA",
  aliases: ["dashscope", "qwen", "alibaba-cloud"],
  hosts: ["dashscope-intl.aliyuncs.com", "dashscope.aliyuncs.com", "dashscope-us.aliyuncs.com"],
  target: "https://dashscope-intl.aliyuncs.com",
  dedicatedDomain: "alibaba",
  extends: "OPENAI",
  basePath: "/compatible-mode/v1",
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
} satisfies ProviderPlugin;
