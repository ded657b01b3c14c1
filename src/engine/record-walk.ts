import { EMPTY, raw, type Sql, sql } from "../filter/sql.ts";
import type { RequestRow } from "../record/request-record.ts";

/** A model of one organization at one provider. */
export interface WalkedModel {
  readonly organizationId: string;
  readonly provider: string;
  readonly model: string;
}

/** The finished records that a walk covers. */
export type Walked =
  /** In all organizations: records whose bodies could not be parsed. */
  | { readonly kind: "unread" }
  /** In all organizations: records created between two times, both included, in milliseconds since 1970. */
  | { readonly kind: "priced"; readonly since: number; readonly until: number; readonly model: string | undefined }
  /** Records that a model's mapping reads or could read. */
  | { readonly kind: "mapped"; readonly of: WalkedModel };

/** Position of a walk: the last record that it has passed. */
export type WalkPosition = Pick<RequestRow, "organization_id" | "request_created_at" | "request_id">;

export interface SampleQuery {
  readonly of: WalkedModel;
  /** Whether the provider's response was successful. */
  readonly succeeded: boolean;
  readonly limit: number;
}

/** Walks through records, for jobs that read them again. */
export interface RecordWalk {
  /**
   * The next complete records in the engine's own order, in which new records come last or by time. A walk that resumes after
   * any record that it has passed misses no record that existed when it started.
   */
  next(walked: Walked, after: WalkPosition | undefined, limit: number): Promise<readonly RequestRow[]>;
  count(walked: Walked): Promise<number>;
  /** The newest exchanges that a mapping can be learned from. */
  samples(query: SampleQuery): Promise<readonly RequestRow[]>;
  /** The format of the newest successful response of a model; undefined if the newest records have none. */
  formatOf(model: WalkedModel): Promise<string | null | undefined>;
}

/** The condition of a walk in SQL that all engines support, over the columns of `requests`. */
export function walkedSql(walked: Walked): Sql {
  switch (walked.kind) {
    case "unread":
      return sql`response_status is not null and unread is not null`;
    case "priced": {
      const { since, until, model } = walked;
      const times = sql`request_created_at >= ${since} and request_created_at <= ${until}`;
      const ofModel = model === undefined ? EMPTY : sql` and model = ${model}`;
      return sql`response_status is not null and ${times}${ofModel}`;
    }
    case "mapped":
      return sql`${mappedSql(walked.of)} and response_status is not null and unread is null`;
  }
}

export function samplesSql({ of, succeeded }: SampleQuery): Sql {
  return sql`${mappedSql(of)} and cached = 0 and method <> 'GET' and truncated = 0 and unread is null
    and response_status is not null and response_status ${raw(succeeded ? "<" : ">=")} 400`;
}

function mappedSql({ organizationId, provider, model }: WalkedModel): Sql {
  return sql`organization_id = ${organizationId} and provider = ${provider}
    and (wire_schema is null or wire_schema = 'mapped') and model is not null
    and coalesce(model_override, request_model, model) = ${model}`;
}

/** Number of the organization's newest records that `formatOf` reads. */
export const LOOKED_AT = 2_000;

/** @param newest - SQL of a table with the newest records. */
export function formatSql({ provider, model }: WalkedModel, newest: Sql): Sql {
  return sql`select wire_schema from (${newest}) newest
    where provider = ${provider} and (model = ${model} or coalesce(model_override, request_model, model) = ${model})
    and response_status between 200 and 299
    order by request_created_at desc, request_id desc limit 1`;
}
