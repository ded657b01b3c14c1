import type { Json, Usage } from "../../plugin-host/contract.ts";
import type { LlmRequest, LlmResponse } from "../../record/llm-schema.ts";
import { filledText, firstCount, isObject, listOf, pickDefined, sumOfList, textOf } from "../json.ts";
import { responseOf } from "../llm/messages.ts";
import { lastUserText } from "../llm/parts.ts";
import { settingsOf } from "../llm/settings.ts";
import { bedrockMetricsUsage, openAiUsage } from "../usage.ts";
import type { WireSchema } from "../wire-schema.ts";
import { requestMessages } from "./chat-completions/schema.ts";
import { promptOf } from "./completions/schema.ts";
import { foldTextGeneration } from "./text-generation-fold.ts";

/**
 * Text in, text out, under the various member names of APIs that do not follow OpenAI: Bedrock's own models, watsonx, Text
 * Generation Inference, Cloudflare, Replicate, Anthropic's and AI21's old endpoints, and llama.cpp's own.
 */
export const textGeneration: WireSchema = {
  name: "text-generation",
  llmType: "completion",
  path: /\/(?:generate|generate_stream|completion|complete|infill|text\/(?:generation|generation_stream)|predictions)$/,
  fits: (request, response) => promptIn(request) !== undefined || textsIn(response).length > 0,
  fold: foldTextGeneration,
  readResponse: (body) => {
    const from = unwrapped(body);
    return pickDefined({
      id: filledText(from?.id) ?? filledText(body?.id),
      model: filledText(from?.model_id) ?? filledText(from?.model),
      usage: usageOf(from),
      usageRaw: usageBlocks(from).find(isObject),
    });
  },
  promptText: (request) => promptIn(request) ?? lastUserText(request?.messages),
  completionText: (response) => filledText(textsIn(response)[0]),
  llmRequest: (request): LlmRequest => {
    const parameters = [request?.textGenerationConfig, request?.parameters, request?.options].find(isObject);
    const messages = listOf(request?.messages).filter(isObject).flatMap(requestMessages);
    return pickDefined({
      ...settingsOf(settingNames(parameters)),
      ...settingsOf(settingNames(request)),
      ...settingsOf(request),
      prompt: promptIn(request),
      messages: messages.length > 0 ? messages : undefined,
    });
  },
  llmResponse: (response): LlmResponse => ({
    messages: textsIn(response).map((text, idx) => responseOf("assistant", text, { idx })),
  }),
};

function promptIn(request: Json): string | undefined {
  const input = request?.input;
  const { input_prefix: prefix } = request ?? {};
  const stated = [request?.prompt, request?.inputText, request?.inputs, input, input?.prompt, request?.texts, prefix];
  const prompts = stated.map(promptOf).filter((prompt) => prompt !== undefined);
  return prompts.find((prompt) => prompt !== "") ?? prompts[0];
}

function settingNames(from: Json): Json {
  return {
    max_tokens:
      from?.maxTokenCount ??
      from?.max_gen_len ??
      from?.max_tokens_to_sample ??
      from?.max_new_tokens ??
      from?.maxTokens ??
      from?.n_predict,
    temperature: from?.temperature,
    top_p: from?.topP ?? from?.top_p,
    stop: from?.stopSequences ?? from?.stop_sequences,
    seed: from?.random_seed ?? from?.seed,
  };
}

/** Cloudflare wraps its responses in `result`. */
const unwrapped = (body: Json): Json => (isObject(body?.result) ? body.result : body);

/** The response's texts, one for each choice. */
function textsIn(response: Json): string[] {
  const body = unwrapped(response);
  const lists = [body?.results, body?.generations, body?.outputs, body?.completions, body?.choices, body];
  for (const list of lists) {
    const texts = listOf(list)
      .map(textIn)
      .filter((text) => text !== undefined);
    if (texts.length > 0) return texts;
  }
  if (Array.isArray(body?.output) && body.output.every((piece: Json) => typeof piece === "string"))
    return [body.output.join("")];
  const text = textIn(body);
  return text === undefined ? [] : [text];
}

function textIn(from: Json): string | undefined {
  if (!isObject(from)) return undefined;
  for (const name of [
    "outputText",
    "generated_text",
    "generation",
    "completion",
    "text",
    "response",
    "content",
    "output",
  ]) {
    if (typeof from[name] === "string") return from[name];
  }
  return textOf(from.data?.text) ?? textOf(from.message?.content);
}

function usageBlocks(body: Json): Json[] {
  return [
    body?.["amazon-bedrock-invocationMetrics"],
    body?.usage,
    body?.metrics,
    listOf(body?.results)[0],
    body?.details,
  ];
}

/** watsonx and Titan put counts beside each result, others on the response itself. */
function usageOf(body: Json): Usage | undefined {
  const results = listOf(body?.results);
  const counts = {
    prompt_tokens: firstCount(
      body?.prompt_token_count,
      body?.inputTextTokenCount,
      body?.inputTokenCount,
      body?.tokens_evaluated,
      body?.metrics?.input_token_count,
      body?.details?.input_length,
      listOf(body)[0]?.details?.input_length,
      sumOfList(results.map((result) => firstCount(result?.input_token_count, result?.prompt_tokens))),
      Array.isArray(body?.prompt?.tokens) ? body.prompt.tokens.length : undefined,
    ),
    completion_tokens: firstCount(
      body?.generation_token_count,
      sumOfList(
        results.map((result) =>
          firstCount(result?.tokenCount, result?.generated_token_count, result?.completion_tokens),
        ),
      ),
      body?.tokens_predicted,
      body?.metrics?.output_token_count,
      body?.details?.generated_tokens,
      listOf(body)[0]?.details?.generated_tokens,
    ),
  };
  const own = pickDefined(counts);
  return (
    openAiUsage(body?.usage) ??
    (Object.keys(own).length > 0 ? own : bedrockMetricsUsage(body?.["amazon-bedrock-invocationMetrics"]))
  );
}
