import { messageOf } from "../../log.ts";
import { fit } from "../../mapping/translate/fit.ts";
import { SHAPES } from "../../mapping/wire/shapes.ts";
import type { Call, Json, Piece, ProviderPlugin, Shape } from "../../plugin-host/contract.ts";
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
  const lines = Object.entries(results).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  return { lines, results, faults };
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
