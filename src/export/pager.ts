import { AnswerTooLong, type Client } from "./client.ts";
import { ExportFailure } from "./failure.ts";
import type { Order } from "./options.ts";
import { type Page, type Row, readEnvelope, readPage, UnreadableAnswer } from "./page.ts";

const QUERY_PATH = "/v1/request/query-fast";
const COUNT_PATH = "/v1/request/count/query";
const PROPERTY_PATH = "/v1/property/query";

/** What the service gives at most. */
const ROWS_MAX = 10_000;
const ROWS_FIRST = 200;
/** Two pages are in memory at a time, one being written and one being read. */
const PAGE_CHARACTERS_AIM = 2_000_000;
/** A page that outgrows it is given up and asked for with fewer rows. A single record may be of any size. */
const PAGE_BYTES_MAX = 24_000_000;
/** Counting is a comfort: a service that is too busy for it is not asked as often as for a page. */
const COUNT_ATTEMPTS = 4;
/** How often a page that looks too short has to come alike before it is believed, and is asked for at most. */
const SHORT_PAGE_BELIEVED = 3;
const SHORT_PAGES_MAX = 20;

interface Selection {
  readonly filter: unknown;
  readonly order: Order;
  readonly includeBody: boolean;
  /** Records expected in all, to see a page that ends too early. */
  readonly total: number | undefined;
}

/** @returns how many records match, or undefined when the service could not say. */
export async function countRecords(client: Client, filter: unknown): Promise<number | undefined> {
  try {
    return await client.ask({ path: COUNT_PATH, body: { filter }, read: readCount, attemptsMax: COUNT_ATTEMPTS });
  } catch (error) {
    if (error instanceof ExportFailure && error.cause !== undefined) return undefined;
    throw error;
  }
}

/** The first record of the order, for the names of its members; undefined when none matches. */
export async function firstRow(client: Client, selection: Omit<Selection, "total">): Promise<Row | undefined> {
  const body = queryBody(selection, null, 1);
  return (await client.ask({ path: QUERY_PATH, body, read: (text) => readPage(text, 1) })).rows[0];
}

export async function propertyNames(client: Client): Promise<string[]> {
  return client.ask({ path: PROPERTY_PATH, body: {}, read: readNames });
}

/**
 * Reads pages one after the other, each with about as many rows as fit the memory that is meant for one.
 *
 * @returns a function that reads the page behind `cursor`; `before` counts the rows of all pages before it.
 */
export function createPager(client: Client, selection: Selection) {
  let rowsNext = ROWS_FIRST;

  const read = async (cursor: string | null, rows: number): Promise<Answer> => {
    let limit = Math.min(rows, rowsNext);
    for (;;) {
      try {
        const { page, characters } = await client.ask({
          path: QUERY_PATH,
          body: queryBody(selection, cursor, limit),
          read: (text) => ({ page: readPage(text, limit), characters: text.length }),
          bytesMax: limit === 1 ? undefined : PAGE_BYTES_MAX,
        });
        const fitting = Math.floor((PAGE_CHARACTERS_AIM * page.rows.length) / characters);
        if (page.rows.length > 0) rowsNext = Math.max(1, Math.min(fitting, limit * 2, ROWS_MAX));
        return { page, limit };
      } catch (error) {
        if (!(error instanceof AnswerTooLong)) throw error;
        limit = Math.max(1, Math.floor(limit / 8));
      }
    }
  };

  return async (cursor: string | null, before: number, rowsMax: number): Promise<Page> => {
    const expected = Math.min(rowsMax, Math.max(0, (selection.total ?? 0) - before));
    let answer = await read(cursor, rowsMax);
    for (let asked = 1, alike = 1; isShort(answer, expected) && alike < SHORT_PAGE_BELIEVED; asked++) {
      if (asked === SHORT_PAGES_MAX) throw new ExportFailure("failed", "the service gives another page each time");
      const other = await read(cursor, rowsMax);
      const same = other.limit === answer.limit && sameEnd(other.page, answer.page);
      alike = same ? alike + 1 : 1;
      answer = other;
    }
    const { page } = answer;
    if (page.nextCursor !== null && page.nextCursor === cursor) {
      throw new ExportFailure("failed", "the service gives the same page again and again");
    }
    return page;
  };
}

interface Answer {
  readonly page: Page;
  /** Rows that were asked for. */
  readonly limit: number;
}

/**
 * Something between the service and us may have cut a page so that it still reads as a page: fewer rows than asked
 * for although more follow, or an end before the counted number. Such a page is believed only when it comes several
 * times alike; records may have been deleted since they were counted.
 */
function isShort({ page, limit }: Answer, expected: number): boolean {
  return page.rows.length < limit && (page.nextCursor !== null || page.rows.length < expected);
}

function sameEnd(left: Page, right: Page): boolean {
  return left.rows.length === right.rows.length && left.nextCursor === right.nextCursor;
}

function queryBody(selection: Omit<Selection, "total">, cursor: string | null, limit: number): object {
  return {
    filter: selection.filter,
    sort: { created_at: selection.order },
    limit,
    includeBody: selection.includeBody,
    includeInputs: true,
    ...(cursor === null ? {} : { cursor }),
  };
}

function readCount(text: string): number {
  const { data } = readEnvelope(text);
  if (typeof data !== "number" || !Number.isSafeInteger(data) || data < 0) throw new UnreadableAnswer("no count");
  return data;
}

function readNames(text: string): string[] {
  const { data } = readEnvelope(text);
  if (!Array.isArray(data)) throw new UnreadableAnswer("no list of properties");
  return data.map((row: { property?: unknown } | null) => {
    if (typeof row?.property !== "string") throw new UnreadableAnswer("a property without a name");
    return row.property;
  });
}
