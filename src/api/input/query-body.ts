import { t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { type DecodedFilter, type Dialect, decodeFilter } from "../../filter/decode.ts";
import { TIME_BUCKETS, type TimeBucket } from "../../filter/group-by.ts";
import { type Flags, withFlags } from "../../filter/request-flags.ts";
import type { Scope } from "../../filter/scope.ts";
import { type Reach, refuseSaid } from "../../filter/sight.ts";
import { hint, quote } from "../../filter/spelling.ts";

/** Rows in one response of an endpoint that aggregates records, at most. */
export const AGGREGATES_MAX = 10_000;

const LIMIT_DEFAULT = 10;

/** Null counts as absent: many clients send null for a missing value. */
const optional = <T extends Parameters<typeof t.Union>[0][number]>(schema: T) =>
  t.Optional(t.Union([schema, t.Null()]));

const flag = (description: string) => optional(t.Boolean({ description }));

export const FILTER = t.Unknown({
  description: 'A filter: a leaf, a branch {"left", "operator", "right"}, or "all". See the page on querying.',
});

export const FLAGS = {
  isCached: flag("true keeps cache hits, false removes them."),
  isScored: flag("true keeps records with a score or feedback, false removes them."),
  isPartOfExperiment: flag("true keeps records with an experiment id, false removes them."),
};

/** Offsets have no upper limit; the schema accepts 10 and 10.0. */
export const paging = (limitMax: number) => ({
  offset: optional(t.Number({ description: "Rows to skip; default: 0." })),
  limit: optional(t.Number({ description: `Maximum number of rows, 0 to ${limitMax}; ${LIMIT_DEFAULT} by default.` })),
});

export const optionalSort = optional(t.Unknown({ description: 'Such as {"cost": "desc"}.' }));
export const optionalCursor = optional(t.String({ description: "next_cursor of the previous page." }));
export const optionalSearch = optional(
  t.String({ description: 'Words, beginnings (`wor*`) and "phrases" that all have to be in what was said.' }),
);
export const optionalPartial = flag(
  "true returns what a search in bodies finds within a second; searched_to says how far back it has searched.",
);
export const includeBody = flag("false leaves out the bodies and llmSchema.");
export const includeProviderBodies = flag(
  "true adds provider_request and provider_response beside the bodies; null if the provider got and sent the client's bodies.",
);
export const includeInputs = flag("true adds prompt_inputs.");
export const includeStoredBytes = flag("true adds stored_bytes: the stored size of the bodies.");
export { optional };

interface Paging {
  readonly limit: number;
  readonly offset: number;
}

interface PagingBody {
  readonly limit?: number | null;
  readonly offset?: number | null;
}

/** @throws GatewayError `invalid_body` if a number is out of range. */
export function readPaging(body: PagingBody, limitMax: number, limitDefault = LIMIT_DEFAULT): Paging {
  const limit = whole(body.limit ?? limitDefault, "limit", limitMax);
  // An offset beyond the safe integers is past the end anyway.
  return { limit, offset: Math.min(whole(body.offset ?? 0, "offset", Number.MAX_VALUE), Number.MAX_SAFE_INTEGER) };
}

function whole(value: number, path: string, max: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= max) return value;
  const range = max === Number.MAX_VALUE ? "0 or more" : `from 0 to ${max}`;
  throw new GatewayError("invalid_body", `${path} is a whole number ${range}`, { path });
}

/** The query in a body, with its organization. */
export interface ScopedQuery {
  readonly scope: Scope;
  readonly decoded: DecodedFilter;
}

/**
 * @param body - without a filter it means all records.
 * @throws GatewayError `filter_invalid`, `insufficient_permission`
 */
export function readScope(
  { organizationId, sight }: Reach,
  body: Flags & { readonly filter?: unknown },
  dialect: Dialect = "legacy",
): ScopedQuery {
  const decoded = decodeFilter(body.filter === undefined ? "all" : body.filter, dialect);
  refuseSaid(sight, decoded.tree);
  return { decoded, scope: { organizationId, sight, tree: withFlags(decoded.tree, body) } };
}

/** @throws GatewayError `invalid_body` if there is no bucket with this name. */
export function readBucket(name: string): TimeBucket {
  if (Object.hasOwn(TIME_BUCKETS, name)) return name as TimeBucket;
  const message = `there is no time bucket ${quote(name)}; ${hint(name, Object.keys(TIME_BUCKETS))}`;
  throw new GatewayError("invalid_body", message, { path: "time_bucket" });
}
