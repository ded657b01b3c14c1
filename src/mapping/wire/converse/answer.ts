import type {
  Answer,
  CallPart,
  Choice,
  Citation,
  Finish,
  ImagePart,
  Json,
  Part,
  State,
} from "../../../plugin-host/contract.ts";
import { filledText, isObject, jsonText, listOf, pickDefined, textOf } from "../../json.ts";
import { converseUsage } from "../../usage.ts";

/** A complete response of Bedrock's converse, which has neither an id nor a model. */
export function readAnswer(body: Json): Answer {
  const message = body?.output?.message;
  const choice: Choice = {
    parts: listOf(message?.content).flatMap(readBlock),
    finish: finishOf(body?.stopReason),
  };
  return pickDefined({ choices: isObject(message) ? [choice] : [], usage: converseUsage(body?.usage) }) as Answer;
}

function readBlock(block: Json): Part[] {
  if (!isObject(block)) return [];
  if (typeof block.text === "string") return block.text === "" ? [] : [{ type: "text", text: block.text }];
  if (isObject(block.toolUse)) return [{ ...callOf(block.toolUse), arguments: inputText(block.toolUse.input) }];
  if (isObject(block.reasoningContent)) {
    const state = stateIn(block.reasoningContent) ?? stateIn(block.reasoningContent.reasoningText);
    const text = textOf(block.reasoningContent.reasoningText?.text) ?? "";
    return text === "" && state === undefined ? [] : [pickDefined({ type: "reasoning", text, state }) as Part];
  }
  if (isObject(block.citationsContent)) {
    const text = listOf(block.citationsContent.content)
      .map((each) => textOf(each?.text) ?? "")
      .join("");
    const citations = listOf(block.citationsContent.citations).filter(isObject).map(citationOf);
    return [citations.length > 0 ? { type: "text", text, citations } : { type: "text", text }];
  }
  const image = imageOf(block.image);
  return image === undefined ? [] : [image];
}

export const inputText = (input: Json): string =>
  typeof input === "string" ? input : input === undefined || input === null ? "" : jsonText(input);

export const callOf = ({ toolUseId, name }: Json): CallPart => ({
  type: "call",
  id: textOf(toolUseId) ?? "",
  name: textOf(name) ?? "",
  arguments: "",
});

/** Only Claude signs and redacts here; the state's issuer is set later. */
export function stateIn(reasoning: Json): State | undefined {
  const signature = filledText(reasoning?.signature);
  if (signature !== undefined) return { issuer: "anthropic", kind: "signature", value: signature };
  const redacted = filledText(reasoning?.redactedContent);
  return redacted === undefined ? undefined : { issuer: "anthropic", kind: "redacted", value: redacted };
}

export const citationOf = (citation: Json): Citation =>
  pickDefined({
    url: filledText(citation?.location?.web?.url),
    title: filledText(citation?.title),
    quote: filledText(listOf(citation?.sourceContent)[0]?.text),
  }) as Citation;

export function imageOf(image: Json): ImagePart | undefined {
  const bytes = filledText(image?.source?.bytes);
  const format = filledText(image?.format);
  if (bytes === undefined || format === undefined) return undefined;
  return { type: "image", source: { bytes, mediaType: `image/${format}` } };
}

const FINISHES: Readonly<Record<string, Finish>> = {
  end_turn: "end",
  stop_sequence: "stop",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "context",
  guardrail_intervened: "filter",
  content_filtered: "filter",
  malformed_tool_use: "malformed",
  malformed_model_output: "malformed",
};

/** An unknown value is an ordinary end. */
export function finishOf(word: Json): Finish {
  const known = textOf(word) ?? "";
  return Object.hasOwn(FINISHES, known) ? FINISHES[known]! : "end";
}
