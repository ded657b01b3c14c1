import { GatewayError } from "../../errors.ts";
import { boundsOf } from "../../filter/bounds.ts";
import type { Scope } from "../../filter/scope.ts";
import { refuseSaid } from "../../filter/sight.ts";
import type { Sort } from "../../filter/sort.ts";
import type { Sql } from "../../filter/sql.ts";
import { type Condition, conditionsOf, conjuncts, type FilterTree } from "../../filter/tree.ts";
import type { BodyPart } from "../../store/packs/placed.ts";
import type { RequestBodies } from "../../store/packs/read.ts";
import type { Database } from "../../store/store.ts";
import { costSum, countSum } from "./aggregates/sums.ts";
import { type ClickHouse, LARGE, type Settings } from "./client.ts";
import { COLUMN_TYPES } from "./columns.ts";
import { literal } from "./literal.ts";
import { COMMENTS_FIELD, type Columns, SESSION_FIELD, TAG_FIELD } from "./print/columns.ts";
import { filterSql } from "./print/conditions.ts";
import { Values } from "./print/values.ts";

/** What reading records in ClickHouse needs. */
export interface ReaderOptions {
  readonly client: ClickHouse;
  /** The libSQL database with data that users write: tags and comments. */
  readonly control: Database;
  /** Whether requests in flight are stored as rows. */
  readonly hasOpenRows: boolean;
  /** Whether prompts and responses are stored as columns. */
  readonly keepsTexts: boolean;
  /** A table with fewer rows is searched without windows of time; the default suits every table. */
  readonly fewRows?: number;
  /** Loads bodies by request id. */
  readonly loadBodies: (
    requestIds: readonly string[],
    parts: readonly BodyPart[],
  ) => Promise<ReadonlyMap<string, RequestBodies>>;
}

/** Times, both included, in milliseconds since 1970. */
export interface Times {
  readonly least: number;
  readonly most: number;
}

/** The place of a record in the table. */
export interface Place {
  readonly requestId: string;
  readonly createdAt: number;
}

interface SelectParts {
  /** SQL between "select" and "from", over a row `r`. */
  readonly columns: string;
  /** An additional condition. */
  readonly where?: string | undefined;
  /** SQL after the condition: grouping, order, limit. */
  readonly tail?: string;
  /** Limits the rows to these times. */
  readonly times?: Times | undefined;
  /** Limits the rows to these records. */
  readonly places?: readonly Place[] | undefined;
  /** SQL that replaces a test of a body. */
  readonly body?: (condition: Condition) => Sql;
}

type Bounds = Pick<SelectParts, "times" | "places">;

/**
 * Up to this many conditions are planned normally. With more, compiling costs more than it saves, and the planner, which
 * pushes conditions down to the table and checks all of them at each step, takes quadratic time: 16 s for 1,500. Bounds and
 * places are always applied at the table.
 */
const PLANNED_MAX = 64;
const UNPLANNED: Settings = { compile_expressions: 0, query_plan_filter_push_down: 0 };

/**
 * The records of a scope, to be selected from. Create it with `recordsOf`, which first reads the tags and comments that the
 * filter needs.
 */
export class Records {
  readonly scope: Scope;
  readonly values = new Values();
  readonly columns: Columns;
  /** For statements that are built here. */
  readonly settings: Settings;
  /** The filter selects nothing outside of these times. */
  readonly times: Times;
  readonly #hasOpenRows: boolean;
  readonly #joinsSessions: boolean;
  /** Whether the planner may move the filter to the table. */
  readonly #isPlanned: boolean;

  constructor(scope: Scope, columns: Columns, hasOpenRows: boolean) {
    this.scope = scope;
    this.columns = columns;
    this.#hasOpenRows = hasOpenRows;
    const conditions = [...conditionsOf(scope.tree)];
    this.#joinsSessions = conditions.some(({ source }) => source.from === "row" && SESSION_FIELD.test(source.sql));
    this.#isPlanned = testsIn(scope.tree) <= PLANNED_MAX;
    this.settings = this.#isPlanned ? LARGE : { ...LARGE, ...UNPLANNED };
    const { least, most } = boundsOf(scope.tree);
    this.times = { least: Math.floor(least), most: Math.ceil(most) };
  }

  /** A select over the rows that match the filter. */
  select({ columns, where, tail = "", times = this.times, places, body }: SelectParts): string {
    const conditions = this.#conditions(where, body);
    const joined = this.#joinsSessions
      ? `left join (${this.#sessionTotals()}) session on session.session_id = r.session_id`
      : "";
    const condition = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
    const rows = this.#rows(columnsIn([columns, joined, condition, tail]), { times, places });
    return `select ${columns} from ${rows} r ${joined} ${condition} ${tail}`;
  }

  /**
   * Like `select`, for the first rows in an order, with each table sorted by itself: then ClickHouse skips rows of
   * `requests` that are behind the first ones found, and reads their further columns last.
   *
   * @param parts - without a tail. The columns must name `r.request_id as requestId`.
   * @param tail - SQL of order and limit, given the name of the id.
   */
  first(parts: SelectParts, tail: (id: string) => string): string {
    const own = tail("r.request_id");
    if (this.#joinsSessions || !this.#isPlanned) return this.select({ ...parts, tail: own });
    const { columns, where, times = this.times, places, body } = parts;
    const conditions = this.#conditions(where, body);
    const bounds = this.#bounds({ times, places });
    const finished = `select ${columns} from requests r where ${[bounds, ...conditions].join(" and ")} ${own}`;
    if (!this.#hasOpenRows) return finished;
    const condition = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
    const open = this.#open(columnsIn([columns, condition]), bounds);
    return `select * from (${finished} union all select ${columns} from (${open}) r ${condition} ${own})
      ${tail("requestId")}`;
  }

  #conditions(where: string | undefined, body: SelectParts["body"]): string[] {
    const filter = filterSql(this.scope.tree, { values: this.values, columns: this.columns, ...(body && { body }) });
    return [filter, where ?? "1"].filter((each) => each !== "1");
  }

  get #organization(): string {
    return `organization_id = ${literal(this.scope.organizationId)}`;
  }

  #bounds({ times, places }: Bounds): string {
    return [this.#organization, timesSql(times), placesSql(places)].filter((each) => each !== "").join(" and ");
  }

  /** SQL of a table of rows, finished and in flight. */
  #rows(columns: string, limits: Bounds): string {
    const bounds = this.#bounds(limits);
    const finished = `select ${columns} from requests where ${bounds}`;
    return this.#hasOpenRows ? `(${finished} union all ${this.#open(columns, bounds)})` : `(${finished})`;
  }

  /** A select of rows in flight. A request that has just ended may be in both tables: then the finished row counts. */
  #open(columns: string, bounds: string): string {
    const ended = `select request_created_at, request_id from requests where ${this.#organization}
      and request_created_at in (select request_created_at from open final where ${bounds})`;
    return `select ${columns} from open final
      where ${bounds} and (request_created_at, request_id) not in (${ended})`;
  }

  /** Totals over all records of the organization, whatever the filter selects. */
  #sessionTotals(): string {
    const columns = "session_id, cost, total_tokens, prompt_tokens, completion_tokens, request_created_at";
    return `select s.session_id as session_id, ${costSum("s.cost")} as total_cost,
        ${["total_tokens", "prompt_tokens", "completion_tokens"].map((name) => `${countSum(`s.${name}`)} as ${name}`)},
        toNullable(count()) as total_requests, toNullable(min(s.request_created_at)) as created_at,
        toNullable(max(s.request_created_at)) as latest_request_created_at
      from ${this.#rows(columns, {})} s where isNotNull(s.session_id) group by s.session_id`;
  }
}

/** Number of tests in a filter; a top-level list of values counts as one. */
function testsIn(tree: FilterTree): number {
  return conjuncts(tree).reduce((sum, term) => sum + (isList(term) ? 1 : conditionsOf(term).toArray().length), 0);
}

function isList(term: FilterTree): boolean {
  if (term.kind !== "or") return false;
  const fields = new Set(
    term.terms.map((each) => each.kind === "condition" && each.operator === "equals" && fieldOf(each)),
  );
  return fields.size === 1 && !fields.has(false);
}

const fieldOf = ({ source, name }: Condition) => JSON.stringify([source, name]);

/** Columns of `r` that occur in pieces of SQL. Users' values may contain further names, which does no harm. */
function columnsIn(pieces: readonly string[]): string {
  const named = new Set<string>(["request_id"]);
  for (const piece of pieces) for (const [, name] of piece.matchAll(/\br\.([a-z_0-9]+)/g)) named.add(name!);
  return [...named].filter((name) => Object.hasOwn(COLUMN_TYPES, name)).join(", ");
}

/**
 * @throws GatewayError `insufficient_permission` when the tree or the order needs something that the scope may not see,
 * `filter_invalid` when it needs texts that are not stored.
 */
export async function recordsOf(
  { control, hasOpenRows, keepsTexts }: ReaderOptions,
  scope: Scope,
  sort: Sort = [],
): Promise<Records> {
  refuseSaid(scope.sight, scope.tree, sort);
  const named = fieldsOf(scope.tree);
  const keys = sort === "random" ? [] : sort;
  if (!keepsTexts) refuseTexts([...named, ...keys.flatMap(({ needs }) => (needs === "texts" ? "texts." : []))]);
  const [tags, comments] = await Promise.all([
    named.has(TAG_FIELD) ? tagsOf(control, scope.organizationId) : new Map<string, string>(),
    named.has(COMMENTS_FIELD) ? commentsOf(control, scope.organizationId) : new Map<string, number>(),
  ]);
  return new Records(scope, { tags, comments }, hasOpenRows);
}

function fieldsOf(tree: FilterTree): Set<string> {
  return new Set(conditionsOf(tree).flatMap(({ source }) => (source.from === "row" ? [source.sql] : [])));
}

function refuseTexts(fields: readonly string[]): void {
  if (!fields.some((field) => field.startsWith("texts."))) return;
  throw new GatewayError("filter_invalid", "prompts and responses are not searched here: set [records] search_texts", {
    path: "filter",
  });
}

async function tagsOf(control: Database, organizationId: string): Promise<Map<string, string>> {
  const rows = await control.query<{ session_id: string; tag: string }>({
    sql: "select session_id, tag from session_tags where organization_id = ?",
    args: [organizationId],
  });
  return new Map(rows.map(({ session_id, tag }) => [session_id, tag]));
}

async function commentsOf(control: Database, organizationId: string): Promise<Map<string, number>> {
  const rows = await control.query<{ request_id: string; n: number }>({
    sql: "select request_id, count(*) as n from comments where organization_id = ? group by request_id",
    args: [organizationId],
  });
  return new Map(rows.map(({ request_id, n }) => [request_id, n]));
}

/** SQL of time bounds; empty when there are none. */
function timesSql(times: Times | undefined): string {
  if (times === undefined) return "";
  const { least, most } = times;
  const bounds = [
    ...(least > -Number.MAX_SAFE_INTEGER ? [`request_created_at >= ${literal(least)}`] : []),
    ...(most < Number.MAX_SAFE_INTEGER ? [`request_created_at <= ${literal(most)}`] : []),
  ];
  return bounds.join(" and ");
}

/** SQL that is true for rows at these places; empty when there is no such limit. */
export function placesSql(places: readonly Place[] | undefined): string {
  if (places === undefined) return "";
  if (places.length === 0) return "0";
  const pairs = places.map(({ createdAt, requestId }) => `(${literal(createdAt)}, ${literal(requestId)})`);
  return `(request_created_at, request_id) in (${pairs.join(", ")})`;
}
