import { messageOf } from "../../log.ts";
import { parseJson } from "../../mapping/json.ts";
import { fit } from "../../mapping/translate/fit.ts";
import { SHAPES } from "../../mapping/wire/shapes.ts";
import type { Call, Json, Piece, Prompt, ProviderPlugin, Reply, Shape } from "../../plugin-host/contract.ts";
import { shapeOfApi } from "../../unified/client-api.ts";
import type { TrialReading } from "./read-trial.ts";
import { SAMPLES } from "./samples.ts";
import type { Trial } from "./trial.ts";

/** The shapes that a provider defines. */
export function ownShapes({ shapes = [] }: ProviderPlugin): readonly Shape[] {
  return shapes.flatMap((each) => (typeof each === "string" || typeof each.shape === "string" ? [] : [each.shape]));
}

/** Writes a chat completion's request in a shape, and reads the exchange's response with it. Never throws. */
export function tryShape(shape: Shape, { input, reading }: TrialReading): Trial {
  const call: Call = { model: reading.requestModel ?? "m-1", facts: {}, issuer: shape.name };
  const prompt = SHAPES["chat-completions"]!.readRequest!(SAMPLES[0]!.request.body);
  const results: Record<string, Json> = {
    shape_request: null,
    shape_text: null,
    shape_finish: null,
    shape_error: null,
    shape_reply: null,
  };
  const faults: string[] = [];
  const attempt = (member: string, run: () => object) => {
    try {
      Object.assign(results, run());
    } catch (error) {
      faults.push(`${shape.name}.${member}: ${messageOf(error)}`);
    }
  };
  attempt("writeRequest", () => ({ shape_request: shape.writeRequest(fit(prompt, shape, call).prompt, call).body }));
  if (input.status >= 400)
    attempt("readError", () => ({ shape_error: shape.readError(input.status, input.responseBody).message }));
  else if (input.events === undefined) attempt("readAnswer", () => ofAnswer(shape, input.responseBody));
  else attempt("readEvent", () => ofPieces(input.events!.flatMap(readerOf(shape))));
  if (shape.endpoint !== undefined && input.status < 400)
    attempt("writeAnswer", () => ({ shape_reply: replyOf(shape, prompt, { input, call }) }));
  const lines = Object.entries(results).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  return { lines, results, faults };
}

/** What a client of the shape gets for the exchange's response: a body, or the data of the events. */
function replyOf(
  shape: Shape,
  prompt: Prompt,
  { input, call: { model } }: Pick<TrialReading, "input"> & { readonly call: Call },
): Json {
  const client = shapeOfApi(shape)!;
  const reply: Reply = { id: "id-1", model, created: 0, prompt };
  if (input.events === undefined) return client.writeAnswer!(shape.readAnswer(input.responseBody), reply);
  const state = {};
  const sent = input.events.flatMap(readerOf(shape)).flatMap((piece) => client.writeEvents!(state, piece, reply));
  return sent.map(({ data }) => parseJson(data) ?? data);
}

function ofAnswer(shape: Shape, body: Json): object {
  const [choice] = shape.readAnswer(body).choices;
  const texts = (choice?.parts ?? []).map((part) => (part.type === "text" ? part.text : ""));
  return { shape_text: texts.join(""), shape_finish: choice?.finish ?? null };
}

function ofPieces(pieces: readonly Piece[]): object {
  const texts = pieces.map((piece) => (piece.type === "text" ? piece.text : ""));
  return {
    shape_text: texts.join(""),
    shape_finish: pieces.find((piece) => piece.type === "finish")?.finish ?? null,
  };
}

function readerOf(shape: Shape) {
  const state = {};
  return (event: Parameters<Shape["readEvent"]>[1]) => shape.readEvent(state, event);
}
