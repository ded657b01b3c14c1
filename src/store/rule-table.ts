import { and, eq, getTableColumns, getTableName, ne, sql } from "drizzle-orm";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { GatewayError } from "../errors.ts";
import type { Act } from "../people/actions.ts";
import type { Acting } from "../people/actor.ts";
import { recorded } from "./audit/recorded.ts";
import { type Change, ifGiven, over } from "./database/builder.ts";
import type { Database } from "./store.ts";

/** Fields of every rule of an organization. Times are milliseconds since 1970. */
export interface StoredRule {
  readonly id: string;
  readonly organization_id: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A table with one rule per row. */
interface RuleTable<Rule extends StoredRule> {
  /** Of one organization, or all; oldest first. */
  list(records: Database, organizationId?: string): Promise<Rule[]>;
  /** Of one organization, or of any. */
  find(records: Database, id: string, organizationId?: string): Promise<Rule | undefined>;
  /** Stores a rule, or replaces `previous`. @throws GatewayError `invalid_body` when there are too many. */
  put(records: Database, rule: Rule, by: Acting, previous?: Rule): Promise<void>;
  /** Removes a rule and runs the other statements in the same transaction. */
  remove(records: Database, rule: Rule, by: Acting, also: readonly Change[]): Promise<void>;
}

type RuleColumns = SQLiteTable & Readonly<Record<keyof StoredRule, AnySQLiteColumn>>;

interface RuleTerms<Rule> {
  /** Maximum number per organization. */
  readonly max: number;
  /** Columns that `put` leaves unchanged in an existing rule. */
  readonly kept?: readonly (keyof Rule & string)[];
  /** How the audit log shows a rule; undefined for rules without audit entries. */
  readonly noted?: {
    readonly noun: "alert" | "webhook" | "dashboard" | "judge" | "review";
    readonly nameOf: (rule: Rule) => string | null;
    readonly shown: (rule: Rule) => unknown;
  };
}

/** The organization of a rule, and who stores it. */
export interface RulePlace<Rule> {
  readonly organizationId: string;
  readonly by: Acting;
  /** The rule that it replaces. */
  readonly previous?: Rule | undefined;
}

/** @param table - its columns are the fields of a rule. */
export function ruleTable<Rule extends StoredRule>(
  table: RuleColumns,
  { max, kept = [], noted }: RuleTerms<Rule>,
): RuleTable<Rule> {
  const of = (organizationId: string | undefined) => ifGiven(table.organization_id, organizationId);
  const actsOf = (
    rule: Rule,
    done: "created" | "changed" | "removed",
    change: Pick<Act, "before" | "after">,
  ): Act[] => {
    if (noted === undefined) return [];
    const { noun, nameOf } = noted;
    const object = { kind: noun, id: rule.id, name: nameOf(rule) ?? "" };
    return [{ action: `${noun}.${done}`, organizationId: rule.organization_id, object, ...change }];
  };
  return {
    async list(records, organizationId) {
      const rows = over(records).select().from(table).where(of(organizationId)).orderBy(table.created_at, table.id);
      return (await rows) as unknown as Rule[];
    },
    async find(records, id, organizationId) {
      const row = over(records)
        .select()
        .from(table)
        .where(and(eq(table.id, id), of(organizationId)));
      return (await row.get()) as unknown as Rule | undefined;
    },
    async put(records, rule, by, previous) {
      const others = and(of(rule.organization_id), ne(table.id, rule.id));
      if ((await over(records).$count(table, others)) >= max)
        throw new GatewayError("invalid_body", `there are ${max} ${getTableName(table)} already: remove one first`);
      const values = Object.entries(rule).map(([name, value]) => [name, value === null ? nullOf(table, name) : value]);
      const set = Object.fromEntries(values.filter(([name]) => name !== "id" && !kept.includes(name as never)));
      const upsert = over(records)
        .insert(table)
        .values(Object.fromEntries(values))
        .onConflictDoUpdate({ target: table.id, set });
      const change = { before: previous && noted?.shown(previous), after: noted?.shown(rule) };
      await recorded(records, [upsert], by, ...actsOf(rule, previous === undefined ? "created" : "changed", change));
    },
    async remove(records, rule, by, also) {
      const removal = over(records).delete(table).where(eq(table.id, rule.id));
      await recorded(records, [...also, removal], by, ...actsOf(rule, "removed", { before: noted?.shown(rule) }));
    },
  };
}

/** JSON null for a column that is not nullable: the builder writes null in JSON as SQL null. */
function nullOf(table: SQLiteTable, name: string) {
  return getTableColumns(table)[name]?.notNull === true ? sql`'null'` : null;
}
