import { BODY_KINDS, type ColumnKind, RECORD_KINDS } from "../../record/columns.ts";

/** Members of records with a fixed type, so that every file has the same one, even if all values are null. */
const RECORD: Readonly<Record<string, ColumnKind>> = { ...RECORD_KINDS, ...BODY_KINDS };

/** An ISO 8601 time as the API writes it. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The kind of a column: fixed for a record's own members, else derived from its values. */
export function kindOf(name: string, values: Iterable<unknown>): ColumnKind {
  if (Object.hasOwn(RECORD, name)) return RECORD[name]!;
  if (name.startsWith("property:")) return "text";
  if (name.startsWith("score:")) return "number";
  let common: ColumnKind | undefined;
  for (const value of values) {
    const kind = kindOfValue(value);
    if (kind === undefined || kind === common) continue;
    common = common === undefined ? kind : joined(common, kind);
  }
  return common ?? "text";
}

function kindOfValue(value: unknown): ColumnKind | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return TIME.test(value) ? "time" : "text";
  return "json";
}

const NUMBERS: ReadonlySet<ColumnKind> = new Set(["integer", "number"]);

const joined = (a: ColumnKind, b: ColumnKind): ColumnKind => (NUMBERS.has(a) && NUMBERS.has(b) ? "number" : "text");

/** A value as a column of this kind stores it; null if it does not fit. */
export function typedValue(kind: ColumnKind, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  switch (kind) {
    case "integer":
      return Number.isSafeInteger(value) ? BigInt(value as number) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "time": {
      const time = new Date(String(value));
      return Number.isNaN(time.getTime()) ? null : time;
    }
    default:
      return typeof value === "string" ? value : JSON.stringify(value);
  }
}
