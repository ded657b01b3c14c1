import { GatewayError } from "../errors.ts";
import type { Act } from "../people/actions.ts";
import type { Acting } from "../people/actor.ts";
import { recorded } from "./audit/recorded.ts";
import type { Database, Statement } from "./store.ts";

/** What every rule has that an organization keeps. Times are milliseconds since 1970. */
export interface StoredRule {
  readonly id: string;
  readonly organization_id: string;
  readonly created_at: number;
  readonly updated_at: number;
}

type Row = Readonly<Record<string, string | number | null>>;

/** A table with one rule in a row. */
interface RuleTable<Rule extends StoredRule> {
  /** Of one organization, or of all; the oldest first. */
  list(records: Database, organizationId?: string): Promise<Rule[]>;
  /** Of one organization, or of any. */
  find(records: Database, id: string, organizationId?: string): Promise<Rule | undefined>;
  /** Stores a rule, a new one or in place of `previous`. @throws GatewayError `invalid_body` where there are too many. */
  put(records: Database, rule: Rule, by: Acting, previous?: Rule): Promise<void>;
  /** Removes a rule, with what else the statements say. */
  remove(records: Database, rule: Rule, by: Acting, also: readonly Statement[]): Promise<void>;
}

interface RuleColumns<Rule> extends Readonly<Record<"columns" | "json" | "flags", readonly (keyof Rule & string)[]>> {
  /** An organization has so many rules at most. */
  readonly max: number;
  /** How the audit log shows one; what has no entries there leaves it out. */
  readonly noted?: {
    readonly noun: "alert" | "webhook" | "dashboard" | "judge" | "review";
    readonly nameOf: (rule: Rule) => string | null;
    readonly shown: (rule: Rule) => unknown;
  };
}

/** Whose rule is stored, and who stores it. */
export interface RulePlace<Rule> {
  readonly organizationId: string;
  readonly by: Acting;
  /** The rule in whose place it is put. */
  readonly previous?: Rule | undefined;
}

/** @param columns - those that `put` writes; of them `json` hold JSON text and `flags` 0 or 1. */
export function ruleTable<Rule extends StoredRule>(
  name: string,
  { columns, json, flags, max, noted }: RuleColumns<Rule>,
): RuleTable<Rule> {
  const toRule = (row: Row) => ({
    ...row,
    ...Object.fromEntries(json.map((column) => [column, JSON.parse(String(row[column]))])),
    ...Object.fromEntries(flags.map((column) => [column, row[column] === 1])),
  });
  const stored = (rule: Rule, column: keyof Rule & string) => {
    if (json.includes(column)) return JSON.stringify(rule[column]);
    return (flags.includes(column) ? Number(rule[column]) : rule[column]) as string | number | null;
  };
  const sets = columns.filter((column) => column !== "id").map((column) => `${column} = excluded.${column}`);
  const upsert = `insert into ${name} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})
    on conflict (id) do update set ${sets.join(", ")}`;
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
      const sql = `select * from ${name} where ?1 is null or organization_id = ?1 order by created_at, id`;
      const rows = await records.query<Row>({ sql, args: [organizationId ?? null] });
      return rows.map((row) => toRule(row) as unknown as Rule);
    },
    async find(records, id, organizationId) {
      const sql = `select * from ${name} where id = ?1 and (?2 is null or organization_id = ?2)`;
      const [row] = await records.query<Row>({ sql, args: [id, organizationId ?? null] });
      return row && (toRule(row) as unknown as Rule);
    },
    async put(records, rule, by, previous) {
      const sql = `select count(*) as others from ${name} where organization_id = ? and id <> ?`;
      const [counted] = await records.query<{ others: number }>({ sql, args: [rule.organization_id, rule.id] });
      if (counted!.others >= max)
        throw new GatewayError("invalid_body", `there are ${max} ${name} already: remove one first`);
      const args = columns.map((column) => stored(rule, column));
      const change = { before: previous && noted?.shown(previous), after: noted?.shown(rule) };
      const acts = actsOf(rule, previous === undefined ? "created" : "changed", change);
      await recorded(records, [{ sql: upsert, args }], by, ...acts);
    },
    async remove(records, rule, by, also) {
      const statements = [...also, { sql: `delete from ${name} where id = ?`, args: [rule.id] }];
      await recorded(records, statements, by, ...actsOf(rule, "removed", { before: noted?.shown(rule) }));
    },
  };
}
