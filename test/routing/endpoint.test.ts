import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createLog } from "../../src/log.ts";
import { loadRegistry, type Registry } from "../../src/plugin-host/providers/registry.ts";
import type { Credential } from "../../src/routing/credential.ts";
import { CUSTOM } from "../../src/routing/custom.ts";
import { callOf, endpointOf, factsOf, modelListOf, shapesFor, shapesOf } from "../../src/routing/endpoint.ts";
import { credential } from "./things.ts";

let registry: Registry;
beforeAll(async () => {
  const directories = [{ path: join(import.meta.dir, "../../providers"), builtIn: true }];
  registry = await loadRegistry({ directories, log: createLog({ level: "error", format: "text", write: () => {} }) });
});

const providerOf = (name: string) => (name === "CUSTOM" ? CUSTOM : registry.providerByName(name)!);

/** All addresses of a call, each with its shape. */
function addresses(name: string, model: string, more: Partial<Credential> = {}, stream = false): string[] {
  const provider = providerOf(name);
  const key = credential(provider.name, "c", more);
  const call = callOf(provider, key, { model, stream });
  return shapesFor(provider, call).map((at) => {
    const found = endpointOf(provider, at, key, call);
    return `${String(at.shape)} ${found?.origin}${found?.path}`;
  });
}

const aws = { settings: { region: "eu-central-1" } };
const vertex = {
  secrets: { service_account: JSON.stringify({ project_id: "p-1" }) },
  settings: { location: "europe-west1" },
};
const azure = { settings: { endpoint: "https://res.openai.azure.com/" } };

describe("where calls go", () => {
  test.each([
    ["OPENAI", "gpt-5", {}, "chat-completions https://api.openai.com/v1/chat/completions"],
    ["OPENAI", "gpt-5", {}, "responses https://api.openai.com/v1/responses"],
    ["ANTHROPIC", "claude-x", {}, "messages https://api.anthropic.com/v1/messages"],
    ["GROQ", "llama", {}, "chat-completions https://api.groq.com/openai/v1/chat/completions"],
    ["OPENROUTER", "a/b", {}, "messages https://openrouter.ai/api/v1/messages"],
    ["PERPLEXITY", "sonar", {}, "chat-completions https://api.perplexity.ai/chat/completions"],
    ["DEEPSEEK", "deepseek-chat", {}, "messages https://api.deepseek.com/anthropic/v1/messages"],
    [
      "GOOGLE",
      "gemini-3-pro",
      {},
      "generate-content https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:generateContent",
    ],
    [
      "GOOGLE",
      "gemini-3-pro",
      vertex,
      "generate-content https://europe-west1-aiplatform.googleapis.com/v1/projects/p-1/locations/europe-west1/publishers/google/models/gemini-3-pro:generateContent",
    ],
    [
      "GOOGLE",
      "claude-sonnet-5-5",
      { ...vertex, settings: {} },
      "messages https://aiplatform.googleapis.com/v1/projects/p-1/locations/global/publishers/anthropic/models/claude-sonnet-5-5:rawPredict",
    ],
    [
      "GOOGLE",
      "meta/llama-4",
      vertex,
      "chat-completions https://europe-west1-aiplatform.googleapis.com/v1/projects/p-1/locations/europe-west1/endpoints/openapi/chat/completions",
    ],
    [
      "AWS",
      "us.anthropic.claude-x-v1:0",
      aws,
      "messages https://bedrock-runtime.eu-central-1.amazonaws.com/model/us.anthropic.claude-x-v1%3A0/invoke",
    ],
    [
      "AWS",
      "amazon.nova-pro-v1:0",
      aws,
      "converse https://bedrock-runtime.eu-central-1.amazonaws.com/model/amazon.nova-pro-v1%3A0/converse",
    ],
    ["AZURE", "gpt-5", azure, "chat-completions https://res.openai.azure.com/openai/v1/chat/completions"],
    [
      "AZURE",
      "my dep",
      { settings: { ...azure.settings, api_version: "2024-10-21" } },
      "chat-completions https://res.openai.azure.com/openai/deployments/my%20dep/chat/completions?api-version=2024-10-21",
    ],
    ["AZURE", "claude-opus-5", azure, "messages https://res.openai.azure.com/anthropic/v1/messages"],
    ["COHERE", "command-a", {}, "cohere-chat https://api.cohere.com/v2/chat"],
    ["OLLAMA", "llama3", { baseUrl: "http://127.0.0.1:11434" }, "ollama-chat http://127.0.0.1:11434/api/chat"],
    [
      "CUSTOM",
      "m",
      { baseUrl: "http://10.0.0.7:8000/inference/v3/" },
      "chat-completions http://10.0.0.7:8000/inference/v3/chat/completions",
    ],
    [
      "CUSTOM",
      "m",
      { baseUrl: "http://10.0.0.7:8000", settings: { shape: "messages" } },
      "messages http://10.0.0.7:8000/v1/messages",
    ],
    [
      "GROQ",
      "llama",
      { baseUrl: "https://proxy.test" },
      "chat-completions https://proxy.test/openai/v1/chat/completions",
    ],
    [
      "GROQ",
      "llama",
      { baseUrl: "https://proxy.test/groq" },
      "chat-completions https://proxy.test/groq/chat/completions",
    ],
    [
      "GOOGLE",
      "gemini-3-pro",
      { baseUrl: "https://proxy.test/google/v1beta" },
      "generate-content https://proxy.test/google/v1beta/models/gemini-3-pro:generateContent",
    ],
    [
      "GOOGLE",
      "gemini-3-pro",
      { ...vertex, baseUrl: "https://proxy.test/v1" },
      "generate-content https://proxy.test/v1/projects/p-1/locations/europe-west1/publishers/google/models/gemini-3-pro:generateContent",
    ],
    ["COHERE", "command-a", { baseUrl: "https://proxy.test/v2/" }, "cohere-chat https://proxy.test/v2/chat"],
    ["COHERE", "command-a", { baseUrl: "https://proxy.test/c" }, "cohere-chat https://proxy.test/c/v2/chat"],
    ["DEEPSEEK", "m", { baseUrl: "https://proxy.test/d" }, "messages https://proxy.test/d/anthropic/v1/messages"],
    [
      "CLOUDFLARE",
      "m",
      { settings: { account_id: "a1" } },
      "chat-completions https://gateway.ai.cloudflare.com/v1/a1/default/compat/chat/completions",
    ],
  ] as const)("%s %s with %p: %s", (name, model, more, expected) => {
    expect(addresses(name, model, more)).toContain(expected);
  });

  test.each([
    ["GOOGLE", "gemini-3-pro", {}, ":streamGenerateContent?alt=sse"],
    ["GOOGLE", "claude-x", vertex, ":streamRawPredict"],
    ["AWS", "anthropic.claude-x", aws, "/invoke-with-response-stream"],
    ["AWS", "amazon.nova", aws, "/converse-stream"],
  ] as const)("a stream of %s %s has a path of its own", (name, model, more, ending) => {
    expect(addresses(name, model, more, true).some((each) => each.endsWith(ending))).toBe(true);
  });

  test("one shape is chosen per model if a platform has several", () => {
    expect(addresses("AWS", "anthropic.claude-x", aws).map((each) => each.split(" ")[0])).toEqual(["messages"]);
    expect(addresses("AWS", "amazon.nova", aws).map((each) => each.split(" ")[0])).toEqual(["converse"]);
    expect(addresses("GOOGLE", "gemini-x", vertex).map((each) => each.split(" ")[0])).toEqual([
      "generate-content",
      "embeddings",
    ]);
  });
});

test("every provider that is reachable has an address for what it speaks, and a way to be paid", () => {
  const settings = { region: "r", endpoint: "https://e.test", account_id: "a", project: "p" };
  for (const provider of registry.providers) {
    const own = provider.target === undefined || provider.credential?.baseUrl === "required";
    const key = credential(provider.name, "c", { settings, ...(own && { baseUrl: "https://own.test" }) });
    const call = callOf(provider, key, { model: "m", stream: false });
    for (const at of shapesOf(provider)) {
      const found = endpointOf(provider, at, key, call);
      expect([provider.name, found && URL.canParse(found.origin + found.path)]).toEqual([provider.name, true]);
    }
  }
});

describe("facts about models", () => {
  const facts = (name: string, model: string) => factsOf(providerOf(name), model, registry.providerByName);
  test.each([
    ["OPENAI", "gpt-5.4", { toolsNeedResponses: true, reasoning: "effort", maxTokensName: "max_completion_tokens" }],
    ["OPENAI", "gpt-4o-mini", { reasoning: "none", maxOutput: 16_384 }],
    ["OPENAI", "gpt-5.5", { efforts: ["none", "low", "medium", "high", "xhigh"] }],
    // Source: https://github.com/anomalyco/opencode/issues/36141.
    [
      "OPENAI",
      "gpt-5.6-terra",
      { toolsNeedResponses: true, efforts: ["none", "low", "medium", "high", "xhigh", "max"] },
    ],
    ["AZURE", "gpt-5", { reasoning: "effort" }],
    ["ANTHROPIC", "claude-sonnet-4-5", { reasoning: "budget", maxOutput: 64_000, rejects: [] }],
    ["ANTHROPIC", "claude-opus-4-7", { reasoning: "adaptive", rejects: ["temperature", "top_p", "top_k"] }],
    ["AWS", "eu.anthropic.claude-opus-4-7-v1:0", { reasoning: "adaptive", maxOutput: 128_000 }],
    ["GOOGLE", "claude-opus-4-7", { reasoning: "adaptive" }],
    ["GOOGLE", "gemini-2.5-pro", { reasoning: "budget", mustThink: true }],
    ["GOOGLE", "gemini-3-flash", { reasoning: "level", needsSignatures: true }],
    ["GROQ", "openai/gpt-oss-120b", {}],
    [
      "MISTRAL",
      "devstral-medium-2512",
      { seedName: "random_seed", callIdLength: 9, documentUrl: true, prefixNeeded: true },
    ],
  ] as const)("%s %s", (name, model, expected) => {
    expect(facts(name, model)).toMatchObject(expected);
  });

  test("an unknown model has no facts", () => {
    expect(facts("OPENROUTER", "llama")).toEqual({});
  });

  test.each([
    ["OPENAI", "gpt-4o", true],
    ["OPENAI", "gpt-5.4", true],
    ["OPENAI", "gpt-5-chat-latest", true],
    ["OPENAI", "gpt-4o-mini-search-preview", false],
    ["OPENAI", "gpt-5-search-api", false],
    ["AZURE", "gpt-4.1", true],
    ["GROQ", "llama", true],
    ["MISTRAL", "mistral-large-latest", true],
    ["PERPLEXITY", "sonar", false],
  ] as const)("whether chat completions of %s %s refuse web search: %p", (provider, model, refuses) => {
    expect(facts(provider, model).rejects?.includes("web_search_options") ?? false).toBe(refuses);
  });
});

test.each([
  ["OPENAI", {}, "https://api.openai.com/v1/models"],
  ["GROQ", {}, "https://api.groq.com/openai/v1/models"],
  ["GOOGLE", {}, "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000"],
  ["OLLAMA", { baseUrl: "http://127.0.0.1:1" }, "http://127.0.0.1:1/api/tags"],
  ["CUSTOM", { baseUrl: "http://h/v9" }, "http://h/v9/models"],
  ["GOOGLE", { baseUrl: "http://h/google/v1beta" }, "http://h/google/v1beta/models?pageSize=1000"],
  ["OLLAMA", { baseUrl: "http://h/ollama" }, "http://h/ollama/api/tags"],
  ["AWS", aws, undefined],
] as const)("%s lists its models at %p: %p", (name, more, expected) => {
  const provider = providerOf(name);
  const found = modelListOf(provider, credential(provider.name, "c", more));
  expect(found && found.origin + found.path).toBe(expected as string);
});
