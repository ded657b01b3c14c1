import { queryOptions } from "@tanstack/react-query";
import type { LlmSchema } from "../../../record/llm-schema.ts";
import type { RecordFields } from "../../../record/request-record.ts";
import { ApiFailure, get } from "../../api.ts";

/** One complete record, as `GET /v1/request/<id>` returns it. */
export type RequestRecord = RecordFields & {
  readonly request_body: unknown;
  readonly response_body: unknown;
  readonly llmSchema: LlmSchema | null;
  readonly prompt_inputs?: Readonly<Record<string, string>>;
  /** Size of its bodies in the store; null while they are not in packs. */
  readonly stored_bytes: number | null;
};

/** Polling interval of a request in flight. */
const IN_FLIGHT_MS = 1_000;

export const recordQuery = (id: string) =>
  queryOptions({
    queryKey: ["request", id],
    queryFn: ({ signal }) => get<RequestRecord>(`/v1/request/${encodeURIComponent(id)}`, signal),
    refetchInterval: ({ state }) =>
      state.data !== undefined && state.data.response_status === null ? IN_FLIGHT_MS : false,
    structuralSharing: false, // it would lose a property called `__proto__`
  });

/** What the client sent and received. */
export type BodySide = "request" | "response";
/** What the provider received and sent, if that differs. */
export type ProviderPart = `provider_${BodySide}`;
export type AnyPart = BodySide | ProviderPart;

export const bodyOf = (record: RequestRecord, part: BodySide): unknown =>
  part === "request" ? record.request_body : record.response_body;

/** The path of a body's original bytes. */
export const bodyAddress = (id: string, part: AnyPart): string =>
  `/v1/request/${encodeURIComponent(id)}/body?part=${part}&raw=true`;

/** The original bytes of a body. */
export const rawBodyQuery = (id: string, part: AnyPart) =>
  queryOptions({
    queryKey: ["raw-body", id, part],
    queryFn: async ({ signal }) => {
      const response = await fetch(bodyAddress(id, part), { signal });
      if (!response.ok) throw new ApiFailure(response.status, `The API responded with ${response.status}.`);
      return new Uint8Array(await response.arrayBuffer());
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    structuralSharing: false, // it would compare bytes one at a time
  });

/** A part as JSON; null if the client's is the same, or nothing was recorded. */
export const partQuery = (id: string, part: ProviderPart) =>
  queryOptions({
    queryKey: ["request-part", id, part],
    queryFn: ({ signal }) => get<unknown>(`/v1/request/${encodeURIComponent(id)}/body?part=${part}`, signal),
    staleTime: 60_000,
    structuralSharing: false, // it would lose a property called `__proto__`
  });

export interface CostView {
  readonly cost: number | null;
  readonly cost_source: string | null;
  readonly note: string;
  readonly lines: readonly {
    readonly what: string;
    readonly count: number;
    readonly usd_per_million: number;
    readonly usd: number;
  }[];
}

export const costQuery = (id: string) =>
  queryOptions({
    queryKey: ["request-cost", id],
    queryFn: ({ signal }) => get<CostView>(`/v1/request/${encodeURIComponent(id)}/cost`, signal),
  });

export interface HeadersView {
  readonly request: readonly (readonly [string, string])[];
  readonly response: readonly (readonly [string, string])[];
  /** Null if they equal the client's. */
  readonly provider_request: readonly (readonly [string, string])[] | null;
  readonly provider_response: readonly (readonly [string, string])[] | null;
}

export const headersQuery = (id: string) =>
  queryOptions({
    queryKey: ["request-headers", id],
    queryFn: ({ signal }) => get<HeadersView>(`/v1/request/${encodeURIComponent(id)}/headers`, signal),
  });
