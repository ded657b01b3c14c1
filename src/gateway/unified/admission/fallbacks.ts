import { GatewayError } from "../../../errors.ts";
import type { GatewayHeader } from "../../headers/gateway-header.ts";
import { fromWire } from "../../headers/headers.ts";

/** An entry of `Gateway-Fallbacks`. */
export interface UnifiedFallback {
  readonly model: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly on?: readonly (number | string)[];
}

const FALLBACKS_MAX = 10;
const MEMBERS = new Set(["model", "body", "on"]);

/** The entries of `Gateway-Fallbacks`, which name models at the unified address. @throws GatewayError `invalid_header`. */
export function readFallbacks(gateway: readonly GatewayHeader[]): UnifiedFallback[] {
  const found = gateway.find(({ setting }) => setting === "fallbacks");
  if (found === undefined) return [];
  const wrong = (what: string) => new GatewayError("invalid_header", `Gateway-Fallbacks ${what}`);
  let list: unknown;
  try {
    list = JSON.parse(fromWire(found.value));
  } catch {
    throw wrong("must be JSON");
  }
  if (!Array.isArray(list) || list.length > FALLBACKS_MAX)
    throw wrong(`must be a list of at most ${FALLBACKS_MAX} fallbacks`);
  return list.map((each: unknown, at) => {
    if (typeof each !== "object" || each === null) throw wrong(`[${at}] must be an object`);
    const unknown = Object.keys(each).find((name) => !MEMBERS.has(name));
    if (unknown === "target") throw wrong(`[${at}].target has no meaning at the unified address; write model`);
    if (unknown !== undefined) throw wrong(`[${at}].${unknown} has no meaning at the unified address`);
    const { model, body, on } = each as { model?: unknown; body?: unknown; on?: unknown };
    if (typeof model !== "string" || model === "") throw wrong(`[${at}].model must be a model's name`);
    if (body !== undefined && (typeof body !== "object" || body === null || Array.isArray(body)))
      throw wrong(`[${at}].body must be an object`);
    if (on !== undefined && !(Array.isArray(on) && on.every(isCondition)))
      throw wrong(`[${at}].on must be a list of statuses from 400 to 599 and of ${CONDITIONS.join(", ")}`);
    return {
      model,
      ...(body !== undefined && { body: body as Readonly<Record<string, unknown>> }),
      ...(on !== undefined && { on: on as (number | string)[] }),
    };
  });
}

const CONDITIONS = ["4xx", "5xx", "network", "timeout", "context", "filtered", "auth"];
const isCondition = (value: unknown) =>
  typeof value === "number"
    ? Number.isInteger(value) && value >= 400 && value <= 599
    : CONDITIONS.includes(value as string);
