import type { RecordDraft } from "../contract.ts";

/** Why a draft that hooks changed cannot be stored, or undefined. */
export function whyBadDraft(draft: RecordDraft): string | undefined {
  const { provider, model, request_user_id, properties, cost, threat } = draft;
  if (typeof provider !== "string") return "provider must be text";
  if (model !== null && typeof model !== "string") return "model must be text or null";
  if (request_user_id !== null && typeof request_user_id !== "string") return "request_user_id must be text or null";
  if (cost !== null && !Number.isFinite(cost)) return "cost must be a number or null";
  if (threat !== null && typeof threat !== "boolean") return "threat must be true, false or null";
  if (typeof properties !== "object" || properties === null) return "properties must be an object";
  return Object.values(properties).every((value) => typeof value === "string")
    ? undefined
    : "every property must be text";
}
