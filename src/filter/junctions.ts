import { EMPTY, join as joinSql, raw, type Sql, sql } from "./sql.ts";

/**
 * Prints "and" and "or" over many terms and many levels for a parser with a fixed stack.
 *
 * SQLite's parser holds 100 symbols. A term on the left of an operator costs one parenthesis, one on the right three
 * symbols, and flat lists of more than 1,000 terms are refused. So terms are joined pairwise, cheap terms first and the
 * expensive one on the left; and where levels of "and" and "or" alternate for long, the costliest term is not nested but
 * follows as the last arm of a CASE:
 *
 *     a and (b or (c and (d or e)))   →   case when not a then 0 when b then 1 when not c then 0 when d then 1 else e end
 *
 * which stays flat at any length. No term may be null, except those of the outermost "and".
 */
export interface Printed {
  readonly sql: Sql;
  /** Parser stack symbols while this is read; an upper bound. */
  readonly cost: number;
  /** Present if this is a CASE that can take more arms at its front. */
  readonly arms?: Arms;
}

interface Arms {
  /** Last first, because arms are added at the front. */
  readonly before: Sql[];
  readonly last: Sql;
}

/**
 * Above this cost, levels are written as arms. Whenever both halves need arms, the cost grows by `ARM_COST`; with 25,000
 * leaves that happens at most 11 times, which gives at most 86 of the 100 symbols, including 12 around the complete
 * statement.
 */
const NESTED_COST_MAX = 34;
const ARM_COST = 5;

/** @param terms - at least one */
export function junction(kind: "and" | "or", terms: readonly Printed[]): Printed {
  const core = dearest(terms);
  const others = terms.filter((term) => term !== core);
  if (others.length === 0) return core;
  if (core.arms === undefined) {
    const nested = join(kind, terms);
    if (nested.cost <= NESTED_COST_MAX) return nested;
  }
  return withArm(kind, join(kind, others.map(closed)), core);
}

/** Joins terms without arms, so that the planner sees each of them. */
export function conjunction(terms: readonly Printed[]): Printed {
  return join("and", terms.map(closed));
}

/** SQL of a complete term. */
export function closed(printed: Printed): Printed {
  if (printed.arms === undefined) return printed;
  const arms = joinSql(printed.arms.before.toReversed(), " ");
  return { sql: sql`case ${arms} else ${printed.arms.last} end`, cost: printed.cost };
}

function withArm(kind: "and" | "or", test: Printed, core: Printed): Printed {
  const arm = kind === "and" ? sql`when not ${test.sql} then 0` : sql`when ${test.sql} then 1`;
  const cost = Math.max(test.cost + ARM_COST, core.cost + (core.arms === undefined ? ARM_COST : 0));
  const before = core.arms?.before ?? [];
  before.push(arm);
  return { sql: EMPTY, cost, arms: { before, last: core.arms?.last ?? core.sql } };
}

/** Prefers a term with arms: arms can grow, nesting cannot. */
function dearest(terms: readonly Printed[]): Printed {
  let best = terms[0]!;
  for (const term of terms) {
    const more = Number(term.arms !== undefined) - Number(best.arms !== undefined);
    if (more > 0 || (more === 0 && term.cost > best.cost)) best = term;
  }
  return best;
}

/** Joins terms of similar cost pairwise, cheapest first, until one is left: a tree balanced by cost. */
function join(kind: "and" | "or", terms: readonly Printed[]): Printed {
  const byCost: Printed[][] = [];
  const put = (term: Printed) => {
    byCost[term.cost] ??= [];
    byCost[term.cost]!.push(term);
  };
  for (const term of terms) put(term);
  let alone: Printed | undefined;
  for (let cost = 0; cost < byCost.length; cost++) {
    const level = byCost[cost] ?? [];
    if (alone !== undefined) level.unshift(alone);
    alone = level.length % 2 === 1 ? level.pop() : undefined;
    for (let i = 0; i < level.length; i += 2) put(pair(kind, level[i]!, level[i + 1]!));
  }
  return alone!;
}

function pair(kind: "and" | "or", one: Printed, other: Printed): Printed {
  const [left, right] = one.cost >= other.cost ? [one, other] : [other, one];
  return { sql: sql`(${left.sql} ${OPERATOR[kind]} ${right.sql})`, cost: Math.max(left.cost + 1, right.cost + 3) };
}

const OPERATOR = { and: raw("and"), or: raw("or") };
