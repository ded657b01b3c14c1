import type { Json, StreamEvent } from "../../plugin-host/contract.ts";
import type { LlmMessage } from "../../record/llm-schema.ts";
import {
  assignMembers,
  filledText,
  isObject,
  type JsonObject,
  listOf,
  numberOf,
  pickDefined,
  textOf,
} from "../json.ts";
import { responseOf } from "../llm/messages.ts";
import { settingsOf } from "../llm/settings.ts";
import type { WireSchema } from "../wire-schema.ts";
import { lastWhole } from "./last-whole.ts";
import { readOpenAi } from "./openai-reading.ts";

const promptIn = (request: Json) =>
  textOf(request?.prompt) ??
  textOf(listOf(request?.instances)[0]?.prompt) ??
  textOf(request?.textToImageParams?.text) ??
  textOf(listOf(request?.text_prompts)[0]?.text);

/** Pictures from a prompt: OpenAI and compatible APIs, Imagen on Gemini and Vertex, Amazon's and Stability's on Bedrock. */
export const images: WireSchema = {
  name: "images",
  llmType: "image",
  path: /\/images\/(?:generations|edits|variations)$/,
  fits: (request, response) => promptIn(request) !== undefined || picturesIn(response).length > 0,
  fold: lastWhole,
  readResponse: (body) => readOpenAi(body),
  promptText: promptIn,
  completionText: (response) => filledText(listOf(response?.data)[0]?.revised_prompt),
  llmRequest: (request) =>
    pickDefined({
      prompt: promptIn(request),
      n: numberOf(request?.n) ?? numberOf(request?.parameters?.sampleCount),
      size: filledText(request?.size) ?? filledText(request?.parameters?.aspectRatio),
      quality: filledText(request?.quality),
    }),
  llmResponse: (response) => ({ messages: picturesIn(response).map(pictureMessage) }),
};

/** A stream ends with an event whose top level has the picture. */
function picturesIn(response: Json): readonly Json[] {
  if (Array.isArray(response?.data)) return response.data.filter(isObject);
  if (Array.isArray(response?.predictions)) return response.predictions.filter(isObject);
  if (Array.isArray(response?.images))
    return response.images.filter(filledText).map((data: Json) => ({ b64_json: data }));
  if (Array.isArray(response?.artifacts)) return response.artifacts.filter(isObject);
  return typeof response?.b64_json === "string" ? [response] : [];
}

function pictureMessage(picture: Json, idx: number): LlmMessage {
  const data = filledText(picture.b64_json) ?? filledText(picture.bytesBase64Encoded) ?? filledText(picture.base64);
  const mime = filledText(picture.mime_type) ?? filledText(picture.mimeType);
  return pickDefined({
    _type: "image",
    role: "assistant",
    image_url:
      textOf(picture.url) ?? (data?.includes(":") ? data : data && `data:${mime ?? "image/png"};base64,${data}`),
    content: filledText(picture.revised_prompt),
    mime_type: mime,
    idx,
  }) as LlmMessage;
}

/** Speech from text: the response is audio, or a stream of it. */
export const speech: WireSchema = {
  name: "speech",
  llmType: "audio",
  path: /\/audio\/speech$/,
  fits: (request) => typeof request?.input === "string",
  fold: (events) => events.findLast(({ data }) => data?.type === "speech.audio.done")?.data,
  readResponse: (body) => readOpenAi(body),
  promptText: (request) => textOf(request?.input),
  completionText: () => undefined,
  llmRequest: (request) =>
    pickDefined({ input: textOf(request?.input), instructions: filledText(request?.instructions) }),
  llmResponse: (response) => {
    const mime = filledText(response?.content_type);
    return mime === undefined ? {} : { messages: [{ _type: "audio", role: "assistant", mime_type: mime }] };
  },
};

const transcriptOf = (response: Json) => filledText(response) ?? filledText(response?.text);

/** Text from speech. The request is a form, so its settings are known only if the recorder could read them. */
export const transcriptions: WireSchema = {
  name: "transcriptions",
  llmType: "audio",
  path: /\/audio\/(?:transcriptions|translations)$/,
  fits: () => true,
  fold: foldTranscript,
  readResponse: (body) => readOpenAi(body),
  promptText: (request) => textOf(request?.prompt),
  completionText: transcriptOf,
  llmRequest: (request) => pickDefined({ ...settingsOf(request), prompt: textOf(request?.prompt) }),
  llmResponse: (response) => {
    const text = transcriptOf(response);
    return text === undefined ? {} : { messages: [responseOf("assistant", text)] };
  },
};

function foldTranscript(events: readonly StreamEvent[]): Json {
  let text = "";
  let done: JsonObject | undefined;
  for (const { data } of events) {
    if (!isObject(data)) continue;
    if (data.type === "transcript.text.delta") text += textOf(data.delta) ?? "";
    else if (data.type === "transcript.text.done" || isObject(data.error)) done = assignMembers(done ?? {}, data);
  }
  if (done === undefined) return text === "" ? undefined : { text };
  const { type: _, ...rest } = done;
  return { ...rest, text: textOf(rest.text) ?? text };
}
