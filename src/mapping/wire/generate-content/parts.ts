import type { CallPart, Part, ResultPart, Source } from "../../../plugin-host/contract.ts";
import { argumentsObject } from "../../exact-json.ts";
import { type JsonObject, pickDefined } from "../../json.ts";

/**
 * Google's documented stand-in for the signature of a call by another model.
 * Source: the Gemini API's page on thought signatures.
 */
export const FOREIGN_CALL = "skip_thought_signature_validator";

/**
 * A turn's parts for Gemini.
 *
 * A signature without text belongs to the adjacent text, as in Gemini's API.
 *
 * @param signed - whether calls without a signature get the documented placeholder; only the first call of a turn needs a
 *   signature.
 */
export function writeParts(parts: readonly Part[], signed: boolean): JsonObject[] {
  const written: JsonObject[] = [];
  let waiting: string | undefined;
  let called = false;
  for (const part of parts) {
    if (part.type === "reasoning" && part.text === "" && part.state !== undefined) {
      const last = written.at(-1);
      if (last !== undefined && isOpenText(last)) last.thoughtSignature = part.state.value;
      else {
        if (waiting !== undefined) written.push(bare(waiting));
        waiting = part.state.value;
      }
      continue;
    }
    const own = part.type === "call" ? writeCall(part, signed && !called) : writePart(part);
    if (own === undefined) continue;
    if (waiting !== undefined && isOpenText(own)) own.thoughtSignature = waiting;
    else if (waiting !== undefined) written.push(bare(waiting));
    waiting = undefined;
    called ||= part.type === "call";
    written.push(own);
  }
  if (waiting !== undefined) written.push(bare(waiting));
  return written;
}

const bare = (thoughtSignature: string): JsonObject => ({ text: "", thoughtSignature });

const isOpenText = ({ text, thought, thoughtSignature }: JsonObject) =>
  text !== undefined && thought !== true && thoughtSignature === undefined;

function writeCall({ id, name, arguments: text, state }: CallPart, signed: boolean): JsonObject {
  return pickDefined({
    functionCall: { id, name, args: argumentsObject(text) },
    thoughtSignature: state?.value ?? (signed ? FOREIGN_CALL : undefined),
  });
}

function writePart(part: Exclude<Part, CallPart>): JsonObject | undefined {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text === "" ? undefined : { text: part.text };
    case "image":
    case "file":
    case "audio":
      return writeSource(part.source);
    case "result":
      return { functionResponse: writeResult(part) };
    case "reasoning":
      return pickDefined({ text: part.text, thought: true, thoughtSignature: part.state?.value });
    case "hosted":
      return part.item;
  }
}

/** Bytes; addresses have already been fetched. */
function writeSource(source: Source): JsonObject | undefined {
  if ("bytes" in source) return { inlineData: { mimeType: source.mediaType, data: source.bytes } };
  if ("text" in source)
    return { inlineData: { mimeType: source.mediaType, data: Buffer.from(source.text, "utf8").toString("base64") } };
  return undefined;
}

/** A tool's output is opaque text. Gemini matches it to its call by name. */
function writeResult({ id, name, parts, error }: ResultPart): JsonObject {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return { id, name: name ?? id, response: error === true ? { error: text } : { output: text } };
}
