import { COST_MAX, isCost } from "../../record/dollars.ts";
import type { Json, RecordDraft } from "../contract.ts";

/** Why a draft that hooks changed cannot be stored, or undefined. */
export function whyBadDraft(draft: RecordDraft): string | undefined {
  const { provider, model, request_user_id, properties, cost, threat } = draft;
  if (typeof provider !== "string") return "provider must be text";
  if (model !== null && typeof model !== "string") return "model must be text or null";
  if (request_user_id !== null && typeof request_user_id !== "string") return "request_user_id must be text or null";
  if (cost !== null && !isCost(cost)) return `cost must be a number from 0 to ${COST_MAX}, or null`;
  if (threat !== null && typeof threat !== "boolean") return "threat must be true, false or null";
  if (typeof properties !== "object" || properties === null) return "properties must be an object";
  return Object.values(properties).every((value) => typeof value === "string")
    ? undefined
    : "every property must be text";
}

/** The JSON texts of a draft's bodies: hooks may change bodies in place. */
export interface BodyTexts {
  readonly request: string | undefined;
  readonly response: string | undefined;
}

/** Keeps a draft as it is. @returns what restores it, as often as it is called; bodies are read from `texts`. */
export function undoOf(draft: RecordDraft, { request, response }: BodyTexts): () => void {
  const before = { ...draft, properties: { ...draft.properties } };
  return () => {
    Object.assign(draft, before, { properties: { ...before.properties } });
    if (request !== undefined) draft.request_body = JSON.parse(request);
    if (response !== undefined) draft.response_body = JSON.parse(response);
  };
}

/** As `undoOf` needs them. They cost a large body's time: take them only after something may have changed. */
export function restorableTexts({ request_body, response_body }: RecordDraft): BodyTexts {
  return { request: textOf(request_body), response: textOf(response_body) };
}

/** Undefined if the value cannot be changed in place, or cannot be written: an earlier hook may have made it circular. */
function textOf(body: Json): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  try {
    return JSON.stringify(body);
  } catch {
    return undefined;
  }
}
