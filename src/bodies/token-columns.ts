import { USAGE_COUNTS } from "../mapping/usage.ts";
import type { Usage } from "../plugin-host/contract.ts";

type TokenColumn = keyof Usage;

const STATED = USAGE_COUNTS.filter((name) => name !== "total_tokens");

/** The token columns of a record. A count that is missing or invalid is null. */
export function tokenColumns(usage: Usage | undefined): Record<TokenColumn, number | null> {
  const columns = { total_tokens: null } as Record<TokenColumn, number | null>;
  for (const name of STATED) columns[name] = toCount(usage?.[name]);
  const { prompt_tokens: prompt, completion_tokens: completion } = columns;
  columns.total_tokens =
    prompt !== null && completion !== null
      ? prompt + completion
      : (toCount(usage?.total_tokens) ?? prompt ?? completion);
  return columns;
}

function toCount(value: unknown): number | null {
  if (typeof value !== "number" || !(value >= 0)) return null;
  const count = Math.round(value);
  return Number.isSafeInteger(count) ? count : null;
}
