/** A value of a query. */
export type Literal = string | number | boolean | null | readonly Literal[];

/**
 * A value as a literal of ClickHouse's SQL. Queries use literals instead of parameters, because parameters are sent in the
 * URL or in form fields: both are limited in size, and a filter may have 32,700 values.
 *
 * Within quotes, only the quote and the backslash are special.
 */
export function literal(value: Literal): string {
  if (value === null) return "null";
  if (typeof value === "string") return `'${value.replace(/[\\']/g, "\\$&")}'`;
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "object") return `[${value.map(literal).join(", ")}]`;
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  // Beyond 2^53 an integer literal has another type, which is compared differently.
  return Number.isSafeInteger(value) ? String(value) : `toFloat64('${value}')`;
}

/** Quotes a name, such as that of the configured database. */
export function identifier(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}
