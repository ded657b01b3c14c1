import { filledText, isObject, listOf, parseJson, utf8Of } from "../mapping/json.ts";
import { errorOfChoice } from "../mapping/wire/chat-completions/answer.ts";
import type { Answer, ApiError, Json, Shape } from "../plugin-host/contract.ts";

/** Why a complete response passed on unchanged is invalid, if it is. @param bytes - undefined if they cannot be decompressed. */
export function wholeFailure(
  bytes: Uint8Array | undefined,
  shape: Shape | undefined,
): ApiError | "malformed" | undefined {
  if (shape === undefined) return undefined;
  const body = bytes && jsonOf(bytes);
  // Gemini streams a JSON list to clients that do not ask for events.
  const bodies: readonly Json[] = shape.name === "generate-content" && Array.isArray(body) ? body : [body];
  if (!isObject(bodies[0])) return "malformed";
  const failed = errorIn(bodies[0]);
  try {
    if (failed !== undefined) return readErrorInside(shape, failed);
    return bodies.every((each) => isNone(shape.readAnswer(each))) ? "malformed" : undefined;
  } catch {
    return "malformed"; // a drop-in's shape cannot read it
  }
}

/** Nothing readable, or only a call that the provider could not parse. */
export function isNone({ choices: [first] }: Answer): boolean {
  return first === undefined || (first.finish === "malformed" && first.parts.length === 0);
}

/** The error inside a success, in the form of an error body. */
export function errorIn(body: Record<string, Json>): Json {
  if (body["type"] === "error" || isObject(body["error"]) || filledText(body["error"]) !== undefined) return body;
  const choice = listOf(body["choices"])[0];
  const own = isObject(choice) ? errorOfChoice(choice) : undefined;
  return own && { error: own };
}

/** Reads an error in a success response; some contain the intended status. */
export function readErrorInside(shape: Shape, body: Json): ApiError {
  const error = isObject(body.error) ? body.error : body;
  const said = [error.status, error.status_code, error.code].map(Number);
  const status = said.find((each) => Number.isInteger(each) && each >= 400 && each < 600);
  return shape.readError(status ?? 502, body);
}

/** Without the byte order mark that some servers begin with. */
export function textOf(bytes: Uint8Array): string {
  const text = utf8Of(bytes);
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** The JSON of a body; undefined if it is not JSON. */
export const jsonOf = (bytes: Uint8Array): Json => parseJson(textOf(bytes));
