import type { Operations, RequestRecord } from "./api.d.ts";

export type * from "./api.d.ts";

export interface WeirOptions {
  /** Where the API listens, such as `http://127.0.0.1:8788`. */
  readonly url: string;
  /** A service key. */
  readonly key: string;
  /** Name or id of the organization, for somebody who is in several. */
  readonly organization?: string;
  /** In place of the global one. */
  readonly fetch?: (address: string, init: RequestInit) => Promise<Response>;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Addresses that take a method, such as `/v1/request/{id}`. */
export type PathOf<M extends Method> = keyof Operations extends infer Name
  ? Name extends `${M} ${infer Path}`
    ? Path
    : never
  : never;

type OperationOf<M extends Method, Path extends string> = `${M} ${Path}` extends keyof Operations
  ? Operations[`${M} ${Path}`]
  : never;

/** What every call takes besides. */
export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

type Nothing = Record<never, never>;
/** A member that has to be given, unless nothing in it is required. */
type Part<Name extends string, T> = Nothing extends T ? { readonly [K in Name]?: T } : { readonly [K in Name]: T };
type BodyPart<O> = O extends { readonly body: infer Body }
  ? Body extends undefined
    ? { readonly body?: undefined }
    : { readonly body: Body }
  : O extends { readonly body?: infer Body }
    ? { readonly body?: Body }
    : Nothing;
type OptionsIn<O> = O extends { readonly path: infer Path; readonly query: infer Query }
  ? Part<"path", Path> & Part<"query", Query> & BodyPart<O> & CallOptions
  : never;
type DataIn<O> = O extends { readonly data: infer Data } ? Data : never;

/** What an endpoint takes: `path`, `query` and `body` as its description has them. */
export type OptionsOf<M extends Method, Path extends PathOf<M>> = OptionsIn<OperationOf<M, Path>>;
/** What an endpoint answers. */
export type DataOf<M extends Method, Path extends PathOf<M>> = DataIn<OperationOf<M, Path>>;

type Arguments<Options> = Nothing extends Options ? [options?: Options] : [options: Options];

/** Answers the `data` of an endpoint. @throws WeirError for an answer that is no success. */
type Call<M extends Method> = <Path extends PathOf<M>>(
  path: Path,
  ...options: Arguments<OptionsOf<M, Path>>
) => Promise<DataOf<M, Path>>;

/** An answer with what stands beside its data. */
export interface Envelope<Data> {
  readonly data: Data;
  readonly next_cursor?: string | null;
  readonly searched_to?: string | null;
  /** What the service wants to be known about the question. */
  readonly warning?: string;
}

export interface RecordsQuery extends CallOptions {
  /** A filter of the API; all unless given. */
  readonly filter?: unknown;
  readonly sort?: unknown;
  /** false leaves out the bodies and `llmSchema`. */
  readonly includeBody?: boolean;
  /** Records that one call asks for, up to 1,000; 100 unless given. */
  readonly pageSize?: number;
}

export interface WeirClient {
  readonly GET: Call<"GET">;
  readonly POST: Call<"POST">;
  readonly PUT: Call<"PUT">;
  readonly PATCH: Call<"PATCH">;
  readonly DELETE: Call<"DELETE">;
  /** The same with what stands beside the data, such as `next_cursor`. */
  envelope<M extends Method, Path extends PathOf<M>>(
    method: M,
    path: Path,
    ...options: Arguments<OptionsOf<M, Path>>
  ): Promise<Envelope<DataOf<M, Path>>>;
  /** Every record that fits, page after page, while it is iterated. */
  records(query?: RecordsQuery): AsyncGenerator<RequestRecord, void, undefined>;
  /** Any address of the API, for what is no JSON: exports, assets, metrics. @throws WeirError as above. */
  raw(path: string, init?: RequestInit): Promise<Response>;
}

/** A failure that the API answered. */
export declare class WeirError extends Error {
  readonly name: "WeirError";
  /** HTTP status. */
  readonly status: number;
  /** What failed, in a word that stays as it is, such as `filter_invalid`. */
  readonly code: string;
  /** The wrong member of what was sent, where one is to blame. */
  readonly path: string | undefined;
  /** Seconds after which to try again, where the service says so. */
  readonly retryAfter: number | undefined;
}

export declare function createWeirClient(options: WeirOptions): WeirClient;
