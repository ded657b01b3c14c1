import type { RequestRow } from "../record/request-record.ts";

/** A model of one organization at one provider. */
export interface WalkedModel {
  readonly organizationId: string;
  readonly provider: string;
  readonly model: string;
}

/** Which finished records a walk goes through. */
export type Walked =
  /** Of all organizations: those whose bodies could not be read. */
  | { readonly kind: "unread" }
  /** Of all organizations, made between two times, both included, in milliseconds since 1970. */
  | { readonly kind: "priced"; readonly since: number; readonly until: number; readonly model: string | undefined }
  /** Those that the mapping of a model reads or could read. */
  | { readonly kind: "mapped"; readonly of: WalkedModel };

/** How far a walk has come: a record that it has passed. */
export type WalkPosition = Pick<RequestRow, "organization_id" | "request_created_at" | "request_id">;

export interface SamplesAsked {
  readonly of: WalkedModel;
  /** Whether the provider's response was a success. */
  readonly succeeded: boolean;
  readonly limit: number;
}

/** Goes through records, for work that reads them again. */
export interface RecordWalk {
  /**
   * The next whole records in the engine's own order, in which a new record comes last or by its time. A walk that begins
   * again after any record that it has passed misses none that was there when it began.
   */
  next(walked: Walked, after: WalkPosition | undefined, limit: number): Promise<readonly RequestRow[]>;
  count(walked: Walked): Promise<number>;
  /** The newest exchanges that a mapping can be learnt from. */
  samples(asked: SamplesAsked): Promise<readonly RequestRow[]>;
  /** The format of the newest successful response of a model; undefined if the newest records have none. */
  formatOf(model: WalkedModel): Promise<string | null | undefined>;
}

/** Spells a value in a statement. */
type Bind = (value: string | number) => string;

/** The condition of a walk in the SQL that all engines have, over the columns of `requests`. */
export function walkedSql(walked: Walked, bind: Bind): string {
  switch (walked.kind) {
    case "unread":
      return "response_status is not null and unread is not null";
    case "priced": {
      const { since, until, model } = walked;
      const times = `request_created_at >= ${bind(since)} and request_created_at <= ${bind(until)}`;
      const ofModel = model === undefined ? "" : ` and model = ${bind(model)}`;
      return `response_status is not null and ${times}${ofModel}`;
    }
    case "mapped":
      return `${mappedSql(walked.of, bind)} and response_status is not null and unread is null`;
  }
}

export function samplesSql({ of, succeeded }: SamplesAsked, bind: Bind): string {
  return `${mappedSql(of, bind)} and cached = 0 and method <> 'GET' and truncated = 0 and unread is null
    and response_status is not null and response_status ${succeeded ? "<" : ">="} 400`;
}

function mappedSql({ organizationId, provider, model }: WalkedModel, bind: Bind): string {
  return `organization_id = ${bind(organizationId)} and provider = ${bind(provider)}
    and (wire_schema is null or wire_schema = 'mapped') and model is not null
    and coalesce(model_override, request_model, model) = ${bind(model)}`;
}

/** Records that `formatOf` looks at: the newest of the organization. */
export const LOOKED_AT = 2_000;

/** @param newest - SQL of a table of the newest records. */
export function formatSql({ provider, model }: WalkedModel, newest: string, bind: Bind): string {
  return `select wire_schema from (${newest}) newest
    where provider = ${bind(provider)} and (model = ${bind(model)} or coalesce(model_override, request_model, model) = ${bind(model)})
    and response_status between 200 and 299
    order by request_created_at desc, request_id desc limit 1`;
}
