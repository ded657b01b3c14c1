import type { Json } from "../../plugin-host/contract.ts";
import type { LlmRequest } from "../../record/llm-schema.ts";
import { booleanOf, filledText, isObject, listOf, numberOf, pickDefined, textOf } from "../json.ts";

/**
 * Sampling settings, under the names that OpenAI, Anthropic, Cohere and compatible APIs use; other formats pass an
 * object with these names.
 */
export function settingsOf(body: Json): LlmRequest {
  return pickDefined({
    max_tokens:
      numberOf(body?.max_completion_tokens) ?? numberOf(body?.max_output_tokens) ?? numberOf(body?.max_tokens),
    temperature: numberOf(body?.temperature),
    top_p: numberOf(body?.top_p) ?? numberOf(body?.p),
    seed: numberOf(body?.seed) ?? numberOf(body?.random_seed),
    stream: booleanOf(body?.stream),
    presence_penalty: numberOf(body?.presence_penalty),
    frequency_penalty: numberOf(body?.frequency_penalty),
    stop: stopOf(body?.stop ?? body?.stop_sequences),
    reasoning_effort: lower(body?.reasoning_effort ?? body?.reasoning?.effort ?? body?.output_config?.effort),
    verbosity: lower(body?.verbosity ?? body?.text?.verbosity),
    parallel_tool_calls: booleanOf(body?.parallel_tool_calls) ?? negated(body?.tool_choice?.disable_parallel_tool_use),
    response_format: responseFormatOf(
      body?.response_format ?? body?.text?.format ?? body?.output_format ?? body?.output_config?.format,
    ),
    n: numberOf(body?.n),
  });
}
const lower = (value: Json) => filledText(value)?.toLowerCase();
const negated = (value: Json) => (typeof value === "boolean" ? !value : undefined);

function stopOf(stop: Json): string[] | undefined {
  if (typeof stop === "string") return [stop];
  const texts = listOf(stop).filter((text) => typeof text === "string");
  return texts.length === 0 ? undefined : texts;
}

/** Chat completions wrap the schema in `json_schema`; Responses and Anthropic put its members beside the type. */
function responseFormatOf(format: Json): LlmRequest["response_format"] {
  if (typeof format === "string") return format === "" ? undefined : { type: format.toLowerCase() };
  if (!isObject(format)) return undefined;
  const { type, json_schema: wrapped, ...beside } = format;
  const schema = wrapped ?? (isObject(beside.schema) ? beside : undefined);
  return pickDefined({ type: textOf(type)?.toLowerCase(), json_schema: schema });
}
