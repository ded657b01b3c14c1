import { readMembers } from "../record/json-members.ts";
import { AnswerTooLong, type Client } from "./client.ts";
import { ExportFailure } from "./failure.ts";
import { textsOf } from "./lines.ts";
import type { Order } from "./options.ts";
import { cursorAtEnd, type Page, readEnvelope, readPage, UnreadableAnswer } from "./page.ts";
import { type Settled, settle, unwrap } from "./settled.ts";

const QUERY_PATH = "/v1/request/query-fast";
const COUNT_PATH = "/v1/request/count/query";
const PROPERTY_PATH = "/v1/property/query";

/** What the service gives at most. */
const ROWS_MAX = 10_000;
const ROWS_FIRST = 200;
/** Two pages are in memory at a time, one being written and one being read. */
const PAGE_BYTES_AIM = 2_000_000;
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

/** The names of the first record's members; none when there is no record. */
export async function memberNames(client: Client, selection: Omit<Selection, "total">): Promise<string[]> {
  const body = queryBody(selection, null, 1);
  const { lines } = await client.ask({ path: QUERY_PATH, body, read: (answer) => readPage(answer, 1) });
  return [...textsOf(lines)].flatMap((row) => [...readMembers(row).keys()]);
}

export async function propertyNames(client: Client): Promise<string[]> {
  return client.ask({ path: PROPERTY_PATH, body: {}, read: readNames });
}

/**
 * Reads pages one after the other, each with about as many rows as fit the memory that is meant for one. The next one is
 * asked for as soon as the bytes of one are there, so that the service works while they are checked and written.
 *
 * @returns a function that reads the page behind `cursor`; `before` counts the rows of all pages before it.
 */
export function createPager(client: Client, selection: Selection) {
  let rowsNext = ROWS_FIRST;
  let ahead: Ahead | undefined;

  const ask = <T>(cursor: string | null, limit: number, read: (answer: Buffer) => T, signal?: AbortSignal) =>
    client.ask({
      path: QUERY_PATH,
      body: queryBody(selection, cursor, limit),
      read,
      bytesMax: limit === 1 ? undefined : PAGE_BYTES_MAX,
      ...(signal && { signal }),
    });

  const lookAhead = (answer: Buffer, limit: number, rowsMax: number) => {
    const cursor = cursorAtEnd(answer);
    const limitNext = Math.min(rowsMax - limit, rowsFitting(limit, limit, answer.length));
    if (ahead !== undefined && ahead.cursor === cursor && ahead.limit === limitNext) return;
    ahead?.dropped.abort();
    ahead = undefined;
    if (cursor === undefined || limitNext <= 0) return;
    const dropped = new AbortController();
    const answerNext = settle(ask(cursor, limitNext, (next) => next, dropped.signal));
    ahead = { cursor, limit: limitNext, answer: answerNext, dropped };
  };

  const open = (answer: Buffer, limit: number, rowsMax: number): Answer => {
    lookAhead(answer, limit, rowsMax);
    const page = readPage(answer, limit);
    if (page.rows > 0) rowsNext = rowsFitting(page.rows, limit, answer.length);
    return { page, limit };
  };

  const read = async (cursor: string | null, rowsMax: number): Promise<Answer> => {
    if (ahead !== undefined && ahead.cursor === cursor) {
      const { limit, answer } = ahead;
      ahead = undefined;
      try {
        return open(unwrap(await answer), limit, rowsMax);
      } catch (error) {
        if (!(error instanceof UnreadableAnswer || error instanceof AnswerTooLong)) throw error;
      }
    }
    for (let limit = Math.min(rowsMax, rowsNext); ; limit = Math.max(1, Math.floor(limit / 8))) {
      try {
        return await ask(cursor, limit, (answer) => open(answer, limit, rowsMax));
      } catch (error) {
        if (!(error instanceof AnswerTooLong)) throw error;
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

/** A page that was asked for before its turn. */
interface Ahead {
  readonly cursor: string;
  readonly limit: number;
  readonly answer: Promise<Settled<Buffer>>;
  /** Aborted when it turns out not to be the next one. */
  readonly dropped: AbortController;
}

/** How many rows to ask for after a page of `rows` rows, `limit` of which were asked for. */
function rowsFitting(rows: number, limit: number, bytes: number): number {
  return Math.max(1, Math.min(Math.floor((PAGE_BYTES_AIM * rows) / bytes), limit * 2, ROWS_MAX));
}

/**
 * Something between the service and us may have cut a page so that it still reads as a page: fewer rows than asked
 * for although more follow, or an end before the counted number. Such a page is believed only when it comes several
 * times alike; records may have been deleted since they were counted.
 */
function isShort({ page, limit }: Answer, expected: number): boolean {
  return page.rows < limit && (page.nextCursor !== null || page.rows < expected);
}

function sameEnd(left: Page, right: Page): boolean {
  return left.rows === right.rows && left.nextCursor === right.nextCursor;
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

function readCount(answer: Buffer): number {
  const { data } = readEnvelope(answer);
  if (typeof data !== "number" || !Number.isSafeInteger(data) || data < 0) throw new UnreadableAnswer("no count");
  return data;
}

function readNames(answer: Buffer): string[] {
  const { data } = readEnvelope(answer);
  if (!Array.isArray(data)) throw new UnreadableAnswer("no list of properties");
  return data.map((row: { property?: unknown } | null) => {
    if (typeof row?.property !== "string") throw new UnreadableAnswer("a property without a name");
    return row.property;
  });
}
