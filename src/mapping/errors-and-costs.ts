import type { Json, Reading } from "../plugin-host/contract.ts";
import { filledText, isObject, listOf, numberOf, pickDefined, textOf } from "./json.ts";

/** US dollars in one of xAI's ticks. */
const DOLLARS_PER_TICK = 1e-10;

/**
 * The cost stated by the provider, in US dollars; undefined in another currency, whose rate is not known.
 *
 * OpenRouter bills nothing if the caller uses a key of the model's vendor; the real cost is then in the details.
 */
export function statedCost(usage: Json): number | undefined {
  if (!isObject(usage)) return undefined;
  const cost = usage.cost;
  const currency = filledText(cost?.currency) ?? filledText(usage.currency);
  if (currency !== undefined && currency.toUpperCase() !== "USD") return undefined;
  if (isObject(cost)) return notNegative(cost.total_cost);
  const ticks = notNegative(usage.cost_in_usd_ticks);
  if (ticks !== undefined) return ticks * DOLLARS_PER_TICK;
  const stated = notNegative(cost);
  if (stated === undefined) return notNegative(usage.estimated_cost);
  const upstream = usage.is_byok === true ? notNegative(usage.cost_details?.upstream_inference_cost) : undefined;
  return upstream === undefined ? stated : stated + upstream;
}
function notNegative(value: Json): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number >= 0 ? number : undefined;
}

/**
 * The failure that a response reports, in any shape: an `error` member suffices; the looser forms (`message`, `detail`, bare
 * text) count only with a failure status.
 */
export function errorOf(body: Json, status: number): Reading["error"] {
  const subject = Array.isArray(body) ? body[0] : body;
  const failed = status >= 400;
  if (isObject(subject)) {
    const stated = subject.error ?? subject.response?.error ?? listOf(subject.choices)[0]?.error;
    if (isStatedError(stated)) return describe(stated, subject);
    if (failed || isError(subject)) return describe(subject, subject);
  }
  if (!failed) return undefined;
  return { message: filledText(subject)?.slice(0, TEXT_MAX) ?? `HTTP ${status}` };
}

/** Maximum characters of a plain-text error kept as its message. */
const TEXT_MAX = 2000;

/** vLLM's older errors are marked in `object`, and occur in streams with status 200. */
export const isError = (body: Json): boolean => body?.object === "error";

const isStatedError = (error: Json) => filledText(error) !== undefined || (isObject(error) && hasMembers(error));
const hasMembers = (value: object) => Object.keys(value).length > 0;

function describe(error: Json, around: Json): NonNullable<Reading["error"]> {
  const message = messageIn(error) ?? messageIn(around) ?? "the provider reported an error without a message";
  return pickDefined({ message, type: typeIn(error) ?? typeIn(around) }) as NonNullable<Reading["error"]>;
}

function messageIn(error: Json): string | undefined {
  if (typeof error === "string") return filledText(error);
  const first = listOf(error?.errors)[0] ?? listOf(error?.detail)[0];
  return (
    filledText(error?.message) ??
    filledText(error?.Message) ??
    filledText(error?.detail) ??
    filledText(error?.error) ??
    filledText(error?.error_message) ??
    filledText(first?.message) ??
    filledText(first?.msg) ??
    filledText(first)
  );
}

function typeIn(error: Json): string | undefined {
  for (const value of [error?.type, error?.error_type, error?.__type, error?.status, error?.code]) {
    const text = textOf(value) ?? (typeof value === "number" ? `${value}` : undefined);
    if (text !== undefined && text !== "" && text !== "error") return text;
  }
  return undefined;
}
