/** A value of a query. */
export type Literal = string | number | boolean | null | readonly Literal[];

/**
 * A value as ClickHouse's SQL spells it. Queries name values in place and not as parameters, because a parameter travels
 * in the address or in a field of a form: both have a limit, and a filter may hold 32,700 values.
 *
 * Within quotes only the quote and the backslash mean something.
 */
export function literal(value: Literal): string {
  if (value === null) return "null";
  if (typeof value === "string") return `'${value.replace(/[\\']/g, "\\$&")}'`;
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "object") return `[${value.map(literal).join(", ")}]`;
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  // Beyond 2^53 a whole number is a number of another type, which is compared otherwise.
  return Number.isSafeInteger(value) ? String(value) : `toFloat64('${value}')`;
}

/** A name, such as that of a database that a configuration gave. */
export function identifier(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}
