import type { Client } from "../api-client/client.ts";
import { readEnvelope, UnreadableResponse } from "../api-client/envelope.ts";
import { ExportFailure } from "../api-client/failure.ts";
import { readMembers } from "../json-text/members.ts";
import { PageReader, type PageResponse, QUERY_PATH, queryBody, type Selection } from "./page-reader.ts";
import { type Page, readPage } from "./read-page.ts";
import { textsOf } from "./record-lines.ts";

const COUNT_PATH = "/v1/request/count/query";
const PROPERTY_PATH = "/v1/property/query";

/** Counting is optional: fewer attempts than for a page. */
const COUNT_ATTEMPTS = 4;
/** How many identical short pages are needed before one is accepted, and how often it is requested at most. */
const SHORT_PAGE_BELIEVED = 3;
const SHORT_PAGES_MAX = 20;

/** @returns how many records match, or undefined if the service could not count them. */
export async function countRecords(client: Client, filter: unknown): Promise<number | undefined> {
  try {
    return await client.ask({ path: COUNT_PATH, body: { filter }, read: readCount, attemptsMax: COUNT_ATTEMPTS });
  } catch (error) {
    if (error instanceof ExportFailure && error.cause !== undefined) return undefined;
    throw error;
  }
}

/** The names of the first record's members; empty if there is no record. */
export async function memberNames(client: Client, selection: Selection): Promise<string[]> {
  const body = queryBody(selection, null, 1);
  const { lines } = await client.ask({ path: QUERY_PATH, body, read: (response) => readPage(response, 1) });
  return [...textsOf(lines)].flatMap((row) => [...readMembers(row).keys()]);
}

export async function propertyNames(client: Client): Promise<string[]> {
  return client.ask({ path: PROPERTY_PATH, body: {}, read: readNames });
}

/**
 * Reads pages one at a time.
 *
 * @param total - expected records, to detect a page that ends too early.
 * @returns a function that reads the page after `cursor`; `before` counts the rows of all earlier pages.
 */
export function createPager(client: Client, selection: Selection, total: number | undefined) {
  const reader = new PageReader(client, selection);

  return async (cursor: string | null, before: number, rowsMax: number): Promise<Page> => {
    const expected = Math.min(rowsMax, Math.max(0, (total ?? 0) - before));
    let response = await reader.read(cursor, rowsMax);
    const mayBeShort = selection.search !== undefined;
    for (let reads = 1, alike = 1; !mayBeShort && isShort(response, expected) && alike < SHORT_PAGE_BELIEVED; reads++) {
      if (reads === SHORT_PAGES_MAX)
        throw new ExportFailure("failed", "the service returns a different page each time");
      const other = await reader.read(cursor, rowsMax);
      const same = other.limit === response.limit && sameEnd(other.page, response.page);
      alike = same ? alike + 1 : 1;
      response = other;
    }
    const { page } = response;
    if (page.nextCursor !== null && page.nextCursor === cursor) {
      throw new ExportFailure("failed", "the service returns the same page again and again");
    }
    return page;
  };
}

/**
 * Something between the service and the client may have cut a page so that it still parses: fewer rows than
 * requested although more follow, or an end before the counted number. Such a page is accepted only if it comes
 * several times unchanged; records may have been deleted since they were counted.
 */
function isShort({ page, limit }: PageResponse, expected: number): boolean {
  return page.rows < limit && (page.nextCursor !== null || page.rows < expected);
}

function sameEnd(left: Page, right: Page): boolean {
  return left.rows === right.rows && left.nextCursor === right.nextCursor;
}

function readCount(response: Buffer): number {
  const { data } = readEnvelope(response);
  if (typeof data !== "number" || !Number.isSafeInteger(data) || data < 0) throw new UnreadableResponse("no count");
  return data;
}

function readNames(response: Buffer): string[] {
  const { data } = readEnvelope(response);
  if (!Array.isArray(data)) throw new UnreadableResponse("no list of properties");
  return data.map((row: { property?: unknown } | null) => {
    if (typeof row?.property !== "string") throw new UnreadableResponse("a property without a name");
    return row.property;
  });
}
