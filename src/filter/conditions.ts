import type { CompileOptions } from "./compile.ts";
import type { Printed } from "./junctions.ts";
import { type Bind, OPERATORS, OPPOSITES } from "./operators.ts";
import { propertyName } from "./property-names.ts";
import type { Condition } from "./tree.ts";
import { anyCase } from "./wildcards.ts";

/** Parser symbols that a plain comparison and one with a subquery take at most. */
const PLAIN_COST = 8;
const SUBQUERY_COST = 20;

/** SQL of one condition over the row `r`. */
export function conditionSql(condition: Condition, { parameters, body }: CompileOptions): Printed {
  const { bind } = parameters;
  const { source } = condition;
  switch (source.from) {
    case "row":
      return { sql: test(condition, source.sql, bind), cost: source.sql.startsWith("(") ? SUBQUERY_COST : PLAIN_COST };
    case "scores": {
      const score = `(select s.value from json_each(r.scores) s where s.key = ${bind(condition.name ?? "")})`;
      return { sql: test(condition, score, bind), cost: SUBQUERY_COST };
    }
    case "assets":
      return some(condition, "from json_each(r.assets) v where 1", bind);
    case "properties": {
      const name =
        source.names === "exact" ? exactName(condition.name ?? "", bind) : anyCaseName(condition.name ?? "", bind);
      return some(condition, `${ofRow(source.kind)} and ${name}`, bind);
    }
    case "property_key": {
      if (condition.value === null) return { sql: `not exists (select 1 ${ofRow(0)})`, cost: SUBQUERY_COST };
      return {
        sql: `exists (select 1 ${ofRow(0)} and ${exactName(String(condition.value), bind)})`,
        cost: SUBQUERY_COST,
      };
    }
    case "body":
      if (body === undefined) throw new TypeError("a filter on bodies cannot be one statement");
      return { sql: body(condition), cost: SUBQUERY_COST };
  }
}

function test(condition: Condition, column: string, bind: Bind): string {
  return OPERATORS[condition.valueKind][condition.operator]!(column, condition.value, bind);
}

/**
 * Asks something of a value that may be there several times or not at all.
 *
 * @param rows - SQL from "from" on that gives the values as `v.value`.
 */
function some(condition: Condition, rows: string, bind: Bind): Printed {
  const { operator, value } = condition;
  if (value === null) {
    return { sql: `${operator === "equals" ? "not exists" : "exists"} (select 1 ${rows})`, cost: SUBQUERY_COST };
  }
  const opposite = OPPOSITES[operator];
  const asked = test({ ...condition, operator: opposite ?? operator }, "v.value", bind);
  return {
    sql: `${opposite === undefined ? "exists" : "not exists"} (select 1 ${rows} and ${asked})`,
    cost: SUBQUERY_COST,
  };
}

const ofRow = (kind: 0 | 1) =>
  `from properties v where v.seq = r.seq and v.organization_id = r.organization_id and v.kind = ${kind}`;

function exactName(name: string, bind: Bind): string {
  const { exact, erased } = propertyName(name);
  if (erased === undefined) return `v.name = ${bind(exact)}`;
  return `(v.name = ${bind(exact)} or (v.name = ${bind(erased)} and v.case_erased))`;
}

const anyCaseName = (name: string, bind: Bind) => `v.name glob ${bind(anyCase(name))}`;
