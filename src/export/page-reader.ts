import { randomUUID } from "node:crypto";
import { type Client, ResponseTooLong } from "../api-client/client.ts";
import { UnreadableResponse } from "../api-client/envelope.ts";
import type { Order } from "./options.ts";
import { type Settled, settle, unwrap } from "./outcome.ts";
import { cursorAtEnd, type Page, readPage } from "./read-page.ts";

export const QUERY_PATH = "/v1/request/query-fast";

/** The service's maximum page size. */
const ROWS_MAX = 10_000;
const ROWS_FIRST = 200;
/** Two pages are in memory at a time: one is being written, one is being received. */
const PAGE_BYTES_AIM = 3_000_000;
/** A larger page is dropped and requested again with fewer rows. A single record may have any size. */
const PAGE_BYTES_MAX = 24_000_000;

export interface Selection {
  readonly filter: unknown;
  readonly order: Order;
  readonly includeBody: boolean;
  /** Search words; pages may then have fewer rows, or none, although more follow. */
  readonly search?: string | undefined;
}

export interface PageResponse {
  readonly page: Page;
  /** Requested rows. */
  readonly limit: number;
}

/** A page that was requested ahead. */
interface Ahead {
  readonly cursor: string;
  readonly limit: number;
  readonly response: Promise<Settled<Buffer>>;
  /** Aborted if it is not the next page. */
  readonly dropped: AbortController;
}

/**
 * Reads pages with about as many rows as fit the memory for one page. The next page is requested as soon as the bytes of the
 * current one have arrived, so that the service works while they are checked and written.
 */
export class PageReader {
  readonly #client: Client;
  readonly #selection: Selection;
  readonly #exportId = randomUUID();
  #rowsNext = ROWS_FIRST;
  #ahead: Ahead | undefined;

  constructor(client: Client, selection: Selection) {
    this.#client = client;
    this.#selection = selection;
  }

  /** @param rowsMax - rows needed, on this page and later ones. */
  async read(cursor: string | null, rowsMax: number): Promise<PageResponse> {
    let limit = Math.min(rowsMax, this.#rowsNext);
    const ahead = this.#ahead;
    if (ahead !== undefined && ahead.cursor === cursor) {
      this.#ahead = undefined;
      try {
        return this.#open(unwrap(await ahead.response), ahead.limit, rowsMax);
      } catch (error) {
        if (error instanceof ResponseTooLong) limit = fewerThan(ahead.limit);
        else if (!(error instanceof UnreadableResponse)) throw error;
      }
    }
    for (; ; limit = fewerThan(limit)) {
      try {
        return await this.#ask(cursor, limit, (response) => this.#open(response, limit, rowsMax));
      } catch (error) {
        if (!(error instanceof ResponseTooLong)) throw error;
      }
    }
  }

  #ask<T>(cursor: string | null, limit: number, read: (response: Buffer) => T, signal?: AbortSignal): Promise<T> {
    return this.#client.ask({
      path: QUERY_PATH,
      body: queryBody(this.#selection, cursor, limit),
      exportId: this.#exportId,
      read,
      bytesUsual: 1.2 * PAGE_BYTES_AIM,
      bytesMax: limit === 1 ? undefined : PAGE_BYTES_MAX,
      ...(signal && { signal }),
    });
  }

  #open(response: Buffer, limit: number, rowsMax: number): PageResponse {
    this.#lookAhead(response, limit, rowsMax);
    const page = readPage(response, limit, this.#selection.search !== undefined);
    if (page.rows > 0) this.#rowsNext = rowsFitting(page.rows, limit, response.length);
    return { page, limit };
  }

  /** Assumes that a response is a complete, readable page; if it is not, the page requested ahead is discarded. */
  #lookAhead(response: Buffer, limit: number, rowsMax: number): void {
    const cursor = cursorAtEnd(response);
    const limitNext = Math.min(rowsMax - limit, rowsFitting(limit, limit, response.length));
    if (this.#ahead !== undefined && this.#ahead.cursor === cursor && this.#ahead.limit === limitNext) return;
    this.#ahead?.dropped.abort();
    this.#ahead = undefined;
    if (cursor === undefined || limitNext <= 0) return;
    const dropped = new AbortController();
    const next = settle(this.#ask(cursor, limitNext, (bytes) => bytes, dropped.signal));
    this.#ahead = { cursor, limit: limitNext, response: next, dropped };
  }
}

/** Rows to request after a page of `rows` rows for a request of `limit`. */
function rowsFitting(rows: number, limit: number, bytes: number): number {
  return Math.max(1, Math.min(Math.floor((PAGE_BYTES_AIM * rows) / bytes), limit * 2, ROWS_MAX));
}

/** Rows to request after a page that was too long. */
function fewerThan(limit: number): number {
  return Math.max(1, Math.floor(limit / 8));
}

export function queryBody(selection: Selection, cursor: string | null, limit: number): object {
  return {
    filter: selection.filter,
    sort: { created_at: selection.order },
    limit,
    ...(selection.search !== undefined && { search: selection.search }),
    includeBody: selection.includeBody,
    ...(selection.includeBody && { includeProviderBodies: true }),
    includeInputs: true,
    ...(cursor === null ? {} : { cursor }),
  };
}
