import type { Answer, Citation, Finish, Json, Part, Reply } from "../../../plugin-host/contract.ts";
import { filledText, isObject, type JsonObject, listOf, numberOf, pickDefined, textOf } from "../../json.ts";
import { piecesOf } from "../../translate/pieces.ts";
import { readOpenAi } from "../openai-reading.ts";
import { readCall, readReasoning } from "./items.ts";
import { writeEvents } from "./write-events.ts";

/** A complete response of a provider. */
export function readAnswer(body: Json): Answer {
  const { id, model, usage } = readOpenAi(body);
  const output = listOf(body?.output).filter(isObject);
  const logprobs = output.flatMap(({ content }) => listOf(content).flatMap((part) => listOf(part?.logprobs)));
  const choice = pickDefined({
    parts: output.flatMap(readOutput),
    finish: finishOf(body),
    logprobs: logprobs.length > 0 ? { content: logprobs } : undefined,
  });
  return pickDefined({ id, model, choices: Array.isArray(body?.output) ? [choice] : [], usage }) as Answer;
}

function readOutput(item: JsonObject): Part[] {
  switch (item.type) {
    case "message":
      return listOf(item.content).flatMap(readSaid);
    case "function_call":
    case "custom_tool_call":
      return [readCall(item)];
    case "reasoning":
      return [readReasoning(item)];
    case "image_generation_call": {
      const image = readImage(item);
      return image === undefined ? [] : [image];
    }
    default:
      return [{ type: "hosted", shape: "responses", item }];
  }
}

export function readImage(item: JsonObject): (Part & { type: "image" }) | undefined {
  const bytes = filledText(item.result);
  const mediaType = `image/${filledText(item.output_format) ?? "png"}`;
  return bytes === undefined ? undefined : { type: "image", source: { bytes, mediaType } };
}

function readSaid(part: Json): Part[] {
  if (typeof part?.refusal === "string") return [{ type: "refusal", text: part.refusal }];
  if (typeof part?.text !== "string") return [];
  const citations = listOf(part.annotations).flatMap(readCitation);
  return [citations.length > 0 ? { type: "text", text: part.text, citations } : { type: "text", text: part.text }];
}

export function readCitation(annotation: Json): Citation[] {
  const url = filledText(annotation?.url);
  if (url === undefined) return [];
  const title = filledText(annotation.title);
  const [start, end] = [numberOf(annotation.start_index), numberOf(annotation.end_index)];
  return [pickDefined({ url, title, start, end }) as Citation];
}

/** The finish reason, from the status and the reason for incompleteness. */
export function finishOf(response: Json): Finish {
  if (response?.status === "failed" || response?.status === "cancelled") return "malformed";
  const reason = textOf(response?.incomplete_details?.reason);
  if (response?.status !== "incomplete" && reason === undefined) return "end";
  return reason === "content_filter" ? "filter" : "length";
}

/** A complete response to a client: the content of the last event of its stream. */
export function writeAnswer(answer: Answer, reply: Reply): Json {
  const state = {};
  let response: Json;
  for (const piece of piecesOf({ ...answer, choices: answer.choices.slice(0, 1) }))
    for (const { data } of writeEvents(state, piece, reply)) response = data.response ?? response;
  return response;
}
