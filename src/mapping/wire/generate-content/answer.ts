import type { Answer, Choice, Citation, Finish, ImagePart, Json, Part, State } from "../../../plugin-host/contract.ts";
import { filledText, isObject, jsonText, listOf, numberOf, pickDefined, textOf } from "../../json.ts";
import { addCitations } from "../../translate/citation-ranges.ts";
import { callId } from "../../translate/ids.ts";
import { geminiUsage } from "../../usage.ts";

/** A complete Gemini response. A blocked prompt is a response that a filter ended. */
export function readAnswer(body: Json): Answer {
  const responseId = filledText(body?.responseId);
  const choices = listOf(body?.candidates).filter(isObject);
  return pickDefined({
    id: responseId,
    model: filledText(body?.modelVersion),
    choices: choices.length === 0 && isBlocked(body) ? [BLOCKED] : choices.map((each) => readChoice(each, responseId)),
    usage: geminiUsage(body?.usageMetadata),
  }) as Answer;
}

export const isBlocked = (body: Json): boolean => filledText(body?.promptFeedback?.blockReason) !== undefined;

const BLOCKED: Choice = { parts: [], finish: "filter" };

function readChoice(candidate: Json, responseId: string | undefined): Choice {
  const parts: Part[] = [];
  let calls = 0;
  for (const given of listOf(candidate.content?.parts))
    for (const part of readPart(given, () => idOfCall(given, responseId, calls++))) join(parts, part);
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  addCitations(parts, citationsOf(candidate, text));
  return pickDefined({
    parts,
    finish: finishOf(candidate.finishReason),
    logprobs: logprobsOf(candidate.logprobsResult),
  }) as Choice;
}

/** Consecutive texts of one type form one part. */
function join(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (part.type === "text" && last?.type === "text") parts[parts.length - 1] = { ...last, text: last.text + part.text };
  else if (part.type === "reasoning" && last?.type === "reasoning" && last.state === undefined && part.text !== "")
    parts[parts.length - 1] = { ...part, text: last.text + part.text };
  else parts.push(part);
}

/** Gemini omits the id of some calls. A generated one is deterministic for a response, and unique. */
export const idOfCall = ({ functionCall: call }: Json, responseId: string | undefined, index: number): string =>
  filledText(call?.id) ?? callId(`${responseId ?? ""} ${index} ${textOf(call?.name) ?? ""} ${jsonText(call?.args)}`);

/** A part of a candidate. The signature of a text follows it as empty reasoning. */
export function readPart(part: Json, id: () => string): Part[] {
  if (!isObject(part)) return [];
  const signature = filledText(part.thoughtSignature) ?? filledText(part.thought_signature);
  const state: State | undefined =
    signature === undefined ? undefined : { issuer: "google", kind: "signature", value: signature };
  if (isObject(part.functionCall)) {
    const args = part.functionCall.args;
    const name = textOf(part.functionCall.name) ?? "";
    const text = args === undefined || args === null ? "" : jsonText(args);
    return [pickDefined({ type: "call", id: id(), name, arguments: text, state }) as Part];
  }
  const text = textOf(part.text);
  if (part.thought === true) {
    if (text === undefined && state === undefined) return [];
    return [pickDefined({ type: "reasoning", text: text ?? "", state }) as Part];
  }
  const after: Part[] = state === undefined ? [] : [{ type: "reasoning", text: "", state }];
  if (text !== undefined) return text === "" ? after : [{ type: "text", text }, ...after];
  const image = imageOf(part.inlineData ?? part.inline_data);
  if (image !== undefined) return [image, ...after];
  return isHosted(part) ? [{ type: "hosted", shape: "generate-content", item: part }] : after;
}

/** Code that Google ran, and its output. */
const isHosted = (part: Json) => isObject(part.executableCode) || isObject(part.codeExecutionResult);

function imageOf(data: Json): ImagePart | undefined {
  const bytes = filledText(data?.data);
  const mediaType = filledText(data?.mimeType) ?? filledText(data?.mime_type);
  if (bytes === undefined || mediaType?.startsWith("image/") !== true) return undefined;
  return { type: "image", source: { bytes, mediaType } };
}

const FINISHES: Readonly<Record<string, Finish>> = {
  STOP: "end",
  MAX_TOKENS: "length",
  SAFETY: "filter",
  RECITATION: "filter",
  LANGUAGE: "filter",
  BLOCKLIST: "filter",
  PROHIBITED_CONTENT: "filter",
  SPII: "filter",
  IMAGE_SAFETY: "filter",
  IMAGE_PROHIBITED_CONTENT: "filter",
  IMAGE_RECITATION: "filter",
  MODEL_ARMOR: "filter",
  MALFORMED_FUNCTION_CALL: "malformed",
  UNEXPECTED_TOOL_CALL: "malformed",
  TOO_MANY_TOOL_CALLS: "malformed",
  MISSING_THOUGHT_SIGNATURE: "malformed",
  MALFORMED_RESPONSE: "malformed",
};

/** An unknown value is an ordinary end. */
export function finishOf(word: Json): Finish {
  const known = textOf(word) ?? "";
  return Object.hasOwn(FINISHES, known) ? FINISHES[known]! : "end";
}

/** The sources of a grounded response. Google's offsets count bytes of the text. */
export function citationsOf(candidate: Json, text: string): Citation[] {
  const grounding = candidate.groundingMetadata;
  const pages = listOf(grounding?.groundingChunks).map((chunk) => chunk?.web ?? chunk?.retrievedContext);
  const page = (index: Json) => ({ url: filledText(pages[index]?.uri), title: filledText(pages[index]?.title) });
  const supports = listOf(grounding?.groundingSupports).filter(isObject);
  const bytes = supports.length > 0 ? Buffer.from(text, "utf8") : undefined;
  const characters = (at: Json) =>
    numberOf(at) === undefined ? undefined : (bytes?.subarray(0, at).toString("utf8").length ?? 0);
  const cited = supports.flatMap(({ segment, groundingChunkIndices }) =>
    listOf(groundingChunkIndices).map((index) => ({
      ...page(index),
      quote: filledText(segment?.text),
      start: segment === undefined ? undefined : (characters(segment?.startIndex) ?? 0),
      end: characters(segment?.endIndex),
    })),
  );
  const found = cited.length > 0 ? cited : pages.map((_, index) => page(index));
  const sources = listOf(candidate.citationMetadata?.citationSources)
    .filter(isObject)
    .map((source) => ({
      url: filledText(source.uri),
      title: filledText(source.title),
      start: numberOf(source.startIndex),
      end: numberOf(source.endIndex),
    }));
  return [...found, ...sources].filter(({ url }) => url !== undefined).map((each) => pickDefined(each) as Citation);
}

/** Log probabilities in OpenAI's form. */
export function logprobsOf(result: Json): Json {
  const chosen = listOf(result?.chosenCandidates);
  if (chosen.length === 0) return undefined;
  const top = listOf(result.topCandidates);
  return {
    content: chosen.map((token, index) => ({
      ...tokenOf(token),
      top_logprobs: listOf(top[index]?.candidates).map(tokenOf),
    })),
  };
}

function tokenOf(token: Json): Json {
  const text = textOf(token?.token) ?? "";
  return { token: text, logprob: numberOf(token?.logProbability) ?? 0, bytes: [...Buffer.from(text, "utf8")] };
}
