import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { GatewayError } from "../../errors.ts";
import { networkProblem } from "../../network-problem.ts";
import type { ByteRange, ListedObject, ObjectStore } from "./object-store.ts";
import { readError, readList } from "./s3-xml.ts";

/** Delays before a call is retried; up to half as much is added at random, so that nodes do not retry together. */
const RETRY_MS = [100, 400];
/** Timeout for a call, plus a time for each megabyte it carries. A call that times out is not retried. */
const CALL_MS = 10_000;
/** After the store was unreachable, reads fail for this long without a call, unless a write succeeds meanwhile. */
const AWAY_MS = 1_000;
const MEGABYTE_MS = 2_000;
/** Status codes of a temporary failure, as opposed to a refusal. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const LIST_MAX = 1_000;

interface S3Options {
  readonly url: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface Call {
  readonly method: "PUT" | "GET" | "DELETE";
  readonly name?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Expected bytes of the response. */
  readonly expected?: number;
}

interface StoreResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/**
 * A store that speaks S3: PUT, ranged GET, LIST version 2 and DELETE, and nothing else. The bucket is part of the path, which
 * every store supports.
 *
 * Failures are GatewayErrors `bodies_unavailable`. Temporary failures are retried a few times first.
 */
export class S3Store implements ObjectStore {
  readonly place: string;
  readonly #options: S3Options;
  readonly #base: string;
  #lastFailure: GatewayError | undefined;
  #awayUntil = 0;

  constructor(options: S3Options) {
    this.#options = options;
    this.#base = `${options.url.replace(/\/+$/, "")}/${options.bucket}`;
    this.place = `${options.bucket} at ${new URL(options.url).host}`;
  }

  async put(name: string, content: Uint8Array): Promise<void> {
    const response = await this.#call({ method: "PUT", name, body: content });
    if (response.status >= 300) throw this.#refused(response, `write ${name}`);
  }

  async get(name: string, { offset, length }: ByteRange): Promise<Uint8Array | undefined> {
    if (length === 0) return new Uint8Array(0);
    const headers = { range: `bytes=${offset}-${offset + length - 1}` };
    const response = await this.#call({ method: "GET", name, headers, expected: length });
    if (response.status === 404 && readError(response.body).code !== "NoSuchBucket") return undefined;
    if (response.status === 416) return undefined;
    if (response.status >= 300) throw this.#refused(response, `read ${name}`);
    // A store without range support sends the complete object.
    const body = response.status === 206 ? response.body : response.body.subarray(offset, offset + length);
    return body.length === length ? body : undefined;
  }

  async *list(prefix: string, after?: string): AsyncGenerator<readonly ListedObject[]> {
    for (let token: string | undefined; ; ) {
      const query = {
        "list-type": "2",
        "max-keys": String(LIST_MAX),
        prefix,
        ...(token !== undefined && { "continuation-token": token }),
        ...(token === undefined && after !== undefined && { "start-after": after }),
      };
      const response = await this.#call({ method: "GET", query });
      if (response.status >= 300) throw this.#refused(response, "list objects");
      const { objects, next } = readList(response.body);
      if (objects.length > 0) yield objects;
      if (next === undefined || next === token) return;
      token = next;
    }
  }

  async remove(name: string): Promise<void> {
    const response = await this.#call({ method: "DELETE", name });
    if (response.status >= 300 && response.status !== 404) throw this.#refused(response, `delete ${name}`);
  }

  /** The difference between the store's clock and ours, in milliseconds; undefined when it sends no date. */
  async clockDifferenceMs(): Promise<number | undefined> {
    const startedAt = Date.now();
    const response = await this.#call({ method: "GET", query: { "list-type": "2", "max-keys": "1" } });
    const theirs = Date.parse(response.headers.get("date") ?? "");
    // The header has whole seconds, so half a second is added.
    return Number.isNaN(theirs) ? undefined : theirs + 500 - (startedAt + Date.now()) / 2;
  }

  /** Retries until the store responds or the attempts are used up. */
  async #call(call: Call): Promise<StoreResponse> {
    if (call.method === "GET" && this.#lastFailure !== undefined && performance.now() < this.#awayUntil) {
      throw this.#lastFailure;
    }
    for (let attempt = 0; ; attempt++) {
      const pause = RETRY_MS[attempt];
      try {
        const response = await this.#once(call);
        if (!PASSING.has(response.status)) this.#awayUntil = 0;
        if (pause === undefined || !PASSING.has(response.status)) return response;
      } catch (cause) {
        if (pause === undefined || isTimeout(cause)) throw this.#away(cause);
      }
      await sleep(pause * (1 + Math.random() / 2));
    }
  }

  async #once({ method, name, query = {}, headers = {}, body, expected = 0 }: Call): Promise<StoreResponse> {
    const url = new URL(name === undefined ? this.#base : `${this.#base}/${encodedPath(name)}`);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    const { region, accessKeyId, secretAccessKey } = this.#options;
    const sum = createHash("sha256")
      .update(body ?? "")
      .digest("hex");
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, "x-amz-content-sha256": sum },
      service: "s3",
      region,
      accessKeyId,
      secretAccessKey,
    }).sign();
    const megabytes = ((body?.length ?? 0) + expected) / 1e6;
    const response = await fetch(signed.url, {
      method,
      headers: signed.headers,
      ...(body !== undefined && { body: body as Uint8Array<ArrayBuffer> }),
      redirect: "manual",
      signal: AbortSignal.timeout(CALL_MS + megabytes * MEGABYTE_MS),
    });
    return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) };
  }

  #away(cause: unknown): GatewayError {
    const says = `the object store ${this.place} cannot be reached: ${networkProblem(cause)}`;
    this.#lastFailure = new GatewayError("bodies_unavailable", says, { cause });
    this.#awayUntil = performance.now() + AWAY_MS;
    return this.#lastFailure;
  }

  #refused({ status, body }: StoreResponse, what: string): GatewayError {
    const { code, message } = readError(body);
    const said = [code, message].filter((part) => part !== "").join(": ");
    return new GatewayError(
      "bodies_unavailable",
      `the object store ${this.place} did not ${what}: ${status}${said === "" ? "" : `, ${said}`}`,
    );
  }
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "TimeoutError";
}

function encodedPath(name: string): string {
  return name.split("/").map(encodeURIComponent).join("/");
}
