import { GatewayError } from "../../errors.ts";
import { readIsoTime } from "../../record/iso-time.ts";
import { quote } from "../spelling.ts";
import type { FilterNode } from "./read-written.ts";

/** A time span or two moments, as written; empty means all time. */
interface Period {
  /** For example `24h`. */
  readonly last?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

interface WithinOptions {
  readonly nowMs?: number;
  /** Written before each name in messages, such as `--` for a command line. */
  readonly prefix?: string;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * The filter, restricted to the period.
 *
 * @throws GatewayError `filter_invalid`
 */
export function within({ last, since, until }: Period, filter: FilterNode, options: WithinOptions = {}): FilterNode {
  const { nowMs = Date.now(), prefix = "" } = options;
  if (last !== undefined && since !== undefined) throw wrong(`give ${prefix}last or ${prefix}since, not both`);
  const bounds: object[] = [];
  if (last !== undefined) bounds.push({ gte: new Date(nowMs - span(`${prefix}last`, last)).toISOString() });
  if (since !== undefined) bounds.push({ gte: moment(`${prefix}since`, since) });
  if (until !== undefined) bounds.push({ lt: moment(`${prefix}until`, until) });
  return bounds.reduce<FilterNode>((right, bound) => {
    const left = { request_response_rmt: { request_created_at: bound } };
    return right === "all" ? left : { left, operator: "and", right };
  }, filter);
}

function span(name: string, text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (count === undefined)
    throw wrong(`${name} takes a number with s, m, h, d or w, such as 15m, 24h or 7d, not ${quote(text)}`);
  return Number(count) * UNIT_MS[unit!]!;
}

function moment(name: string, text: string): string {
  const ms = readIsoTime(text);
  if (ms === undefined) throw wrong(`${name} takes a day such as 2026-01-31 or an ISO 8601 time, not ${quote(text)}`);
  return new Date(ms).toISOString();
}

function wrong(message: string): GatewayError {
  return new GatewayError("filter_invalid", message);
}
