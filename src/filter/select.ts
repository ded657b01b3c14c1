import { namesKind, WITH_KIND, withKinds } from "../record/kinds.ts";
import { PLANNED, type Source, sourceSql } from "./access-path.ts";
import { compileFilter, TRUE } from "./compile.ts";
import type { Join } from "./fields.ts";
import { Parameters, type SqlStatement } from "./parameters.ts";
import type { BodyTest } from "./print-options.ts";
import type { Scope } from "./scope.ts";
import { refuseSaid } from "./sight.ts";
import type { Sort } from "./sort.ts";
import { join, raw, type Sql, sql } from "./sql.ts";
import { conditionsOf, type FilterTree } from "./tree.ts";

interface SelectOptions {
  readonly source?: Source;
  readonly body?: BodyTest;
  /** The order, if the columns or the tail use one. */
  readonly sort?: Sort;
  /** The conversation texts of the rows, if the tree or the order needs them: JSON of lists of `seq`, prompt, completion. */
  readonly texts?: string;
  /** The excerpts in packs of the rows, if the tree or the order needs them: JSON of lists of `seq`, input, output. */
  readonly excerpts?: string;
  /** An additional condition over the row, such as a cursor's. */
  readonly where?: Sql | undefined;
}

/**
 * A select over the records of a scope, as rows `r`.
 *
 * @throws GatewayError `insufficient_permission` if the tree or the order uses something that the scope does not see.
 *
 * @param columns - SQL between "select" and "from"
 * @param tail - SQL after the condition: grouping, order, limit.
 */
export function selectRecords(scope: Scope, columns: Sql, tail: Sql, options: SelectOptions = {}): SqlStatement {
  refuseSaid(scope.sight, scope.tree, options.sort);
  const { body, source = PLANNED, texts, excerpts, where } = options;
  const organization = sql`r.organization_id = ${scope.organizationId}`;
  const { from, condition } = sourceSql(source, scope);
  const filter = compileFilter(scope.tree, body === undefined ? {} : { body });
  const joins = joinsOf(scope.tree, options.sort);
  if ((joins.has("texts") && texts === undefined) || (joins.has("excerpts") && excerpts === undefined))
    throw new TypeError("what was said is not in a table");
  const conditions = [organization, condition, filter, where]
    .filter((each) => each !== undefined)
    .filter((each) => each !== TRUE);
  const tables = [
    ...(joins.has("session") ? [sessionTotals(scope.organizationId)] : []),
    ...(joins.has("texts") ? [listTable("said", "prompt", "completion", texts!)] : []),
    ...(joins.has("excerpts") ? [listTable("excerpted", "input", "output", excerpts!)] : []),
  ];
  const joined = [...joins].map((name) => sql`\n${JOINS[name]}`);
  const parameters = new Parameters();
  const first = tables.length === 0 ? "" : parameters.print(sql`with ${join(tables, ", ")}\n`);
  const selected = parameters.print(sql`select ${columns}\nfrom ${from}`);
  const rest = parameters.print(sql`${join(joined, "")}\nwhere ${join(conditions, " and ")}\n${tail}`);
  const written = first + selected + rest;
  if (!namesKind(written)) return parameters.statement(written);
  return parameters.statement(withKinds(`${first}${selected} ${WITH_KIND}${rest}`));
}

/** Whether a tree or an order needs texts that are in no table and are read from packs. */
export function needsTexts(tree: FilterTree, sort?: Sort): boolean {
  const joins = joinsOf(tree, sort);
  return joins.has("texts") || joins.has("excerpts");
}

/** Whether a filter or an order uses conversation content. */
export function readsContent(tree: FilterTree, sort?: Sort): boolean {
  return needsTexts(tree, sort) || conditionsOf(tree).some(({ source }) => source.from === "body");
}

/** Which of the two a tree needs. */
export function neededTexts(tree: FilterTree): { readonly texts: boolean; readonly excerpts: boolean } {
  const joins = joinsOf(tree, undefined);
  return { texts: joins.has("texts"), excerpts: joins.has("excerpts") };
}

function joinsOf(tree: FilterTree, sort: Sort | undefined): Set<Join> {
  const joins = new Set<Join>();
  for (const { source } of conditionsOf(tree)) if (source.from === "row" && source.needs) joins.add(source.needs);
  for (const { needs } of sort === undefined || sort === "random" ? [] : sort) if (needs) joins.add(needs);
  return joins;
}

const JOINS: Readonly<Record<Join, Sql>> = {
  texts: sql`left join said texts on texts.seq = r.seq`,
  excerpts: sql`left join excerpted excerpts on excerpts.seq = r.seq`,
  tags: sql`left join session_tags tags on tags.organization_id = r.organization_id and tags.session_id = r.session_id`,
  session: sql`left join session_totals session on session.session_id = r.session_id`,
};

/**
 * Totals of every session, computed once per statement from the index `requests_sessions` alone. In floating point, because
 * SQLite fails when a sum of integers overflows.
 */
const sessionTotals = (organizationId: string): Sql => sql`session_totals as materialized (
  select s.session_id, sum(s.cost) as total_cost, sum(s.total_tokens + 0.0) as total_tokens,
    sum(s.prompt_tokens + 0.0) as prompt_tokens, sum(s.completion_tokens + 0.0) as completion_tokens,
    count(*) as total_requests, min(s.request_created_at) as created_at,
    max(s.request_created_at) as latest_request_created_at
  from requests s where s.organization_id = ${organizationId} and s.session_id is not null group by s.session_id)`;

// Cast, because SQLite makes no index for a join over a value without a type: it would read the whole list for each row.
const listTable = (name: string, first: string, second: string, json: string): Sql => sql`${raw(name)} as materialized (
  select cast(value ->> 0 as integer) as seq, value ->> 1 as ${raw(first)}, value ->> 2 as ${raw(second)} from json_each(${json}))`;
