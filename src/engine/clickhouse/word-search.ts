import { GatewayError } from "../../errors.ts";
import { TRUE } from "../../filter/compile.ts";
import type { Scope } from "../../filter/scope.ts";
import { NEWEST_FIRST } from "../../filter/sort.ts";
import { beginningOf, isSpaced } from "../../store/words/tokens.ts";
import type { WordQuery } from "../../store/words/word-query.ts";
import type { Page, SearchOptions } from "../record-source.ts";
import { BodySearch } from "./body-search.ts";
import { type FoundRow, finderOf, keyOf, readsBodies } from "./finder.ts";
import { literal } from "./literal.ts";
import { afterSql, keyColumns, orderSql } from "./print/order.ts";
import type { ReaderOptions, Times } from "./records.ts";
import { isSmall } from "./table-size.ts";
import { Windows } from "./windows.ts";

/** A search returns what it found within this time, and the next call continues there. */
const STEP_MS = 300;

/**
 * The newest records of a scope whose text contains the words. The words columns are searched window by window; a page may be
 * short even if more hits follow.
 */
export async function searchWords(options: ReaderOptions, scope: Scope, search: SearchOptions): Promise<Page> {
  const { query, limit, after, deadline } = search;
  if (!options.keepsTexts)
    throw new GatewayError("search_off", "words are not searched here: set [records] search_texts");
  if (limit === 0) return { keys: [], next: after };
  const startedMs = performance.now();
  const finder = await finderOf(options, scope, NEWEST_FIRST, deadline);
  const { records } = finder;
  const isBodyFilter = readsBodies(scope.tree);
  const from = after?.values[0];
  const most = typeof from === "number" ? Math.min(records.times.most, from) : records.times.most;
  const all = { ...records.times, most };
  const windows = (await isSmall(options, deadline)) ? undefined : new Windows("desc", all, Date.now());
  const found: FoundRow[] = [];
  const next = () => windows?.next(found.length / (limit + 1));
  for (let times: Times | undefined = next() ?? all; times !== undefined; times = next()) {
    const by = { values: records.values, columns: records.columns };
    const sql = records.select({
      columns: `r.request_id as requestId, r.request_created_at as createdAt, r.size_bytes as size${keyColumns(NEWEST_FIRST, by)}`,
      where: [wordsSql(query), ...(after === undefined ? [] : [afterSql(after, NEWEST_FIRST, by)])].join(" and "),
      tail: `order by ${orderSql(NEWEST_FIRST)} limit ${limit + 1 - found.length}`,
      times,
      ...(isBodyFilter && { body: () => TRUE }),
    });
    const rows = await finder.query<FoundRow>(sql, deadline);
    const isFull = found.length + rows.length > limit;
    found.push(...(isBodyFilter ? await new BodySearch(options, finder, deadline).among(rows) : rows));
    if (isFull) {
      const keys = found.slice(0, limit);
      // When bodies excluded rows, the next page starts after the last row that was checked.
      return { keys: keys.map(keyOf), next: placeOf(found.length > limit ? keys.at(-1)! : rows.at(-1)!) };
    }
    const isLast = windows === undefined || windows.isAtEnd;
    if (!isLast && found.length > 0 && performance.now() - startedMs > STEP_MS) {
      return {
        keys: found.map(keyOf),
        next: placeOf({ createdAt: times.least, requestId: "" }),
        searchedTo: times.least,
      };
    }
  }
  return { keys: found.map(keyOf), next: undefined };
}

/** SQL that is true when the words of a row contain everything the query needs. */
function wordsSql({ terms, phrases }: WordQuery): string {
  const words = terms.map(({ token, isBeginning }) => {
    if (!isSpaced(token)) return token;
    // Only the start of a word longer than a token is matched.
    const isWhole = !isBeginning && beginningOf(`${token}x`) !== token;
    return ` ${token}${isWhole ? " " : ""}`;
  });
  const together = phrases.map((phrase) => {
    const before = isSpaced(phrase[0]!) ? " " : "";
    const after = isSpaced(phrase.at(-1)!) ? " " : "";
    return before + phrase.join(" ") + after;
  });
  return [...words, ...together].map((text) => `position(r.said_words, ${literal(text)}) > 0`).join(" and ");
}

const placeOf = ({ createdAt, requestId }: { readonly createdAt: number; readonly requestId: string }) => ({
  values: [createdAt],
  requestId,
});
