import { GatewayError } from "../errors.ts";
import { patiently } from "./database/patiently.ts";
import type { Database } from "./store.ts";

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
  /** Stores a rule, a new one or in place of that with its id. @throws GatewayError `invalid_body` where there are too many. */
  put(records: Database, rule: Rule): Promise<void>;
}

interface RuleColumns<Rule> extends Readonly<Record<"columns" | "json" | "flags", readonly (keyof Rule & string)[]>> {
  /** An organization has so many rules at most. */
  readonly max: number;
}

/** @param columns - those that `put` writes; of them `json` hold JSON text and `flags` 0 or 1. */
export function ruleTable<Rule extends StoredRule>(
  name: string,
  { columns, json, flags, max }: RuleColumns<Rule>,
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
    async put(records, rule) {
      const sql = `select count(*) as others from ${name} where organization_id = ? and id <> ?`;
      const [counted] = await records.query<{ others: number }>({ sql, args: [rule.organization_id, rule.id] });
      if (counted!.others >= max)
        throw new GatewayError("invalid_body", `there are ${max} ${name} already: remove one first`);
      const args = columns.map((column) => stored(rule, column));
      await patiently(() => records.batch([{ sql: upsert, args }]));
    },
  };
}
