/** The types that a statement can bind. */
export type SqlValue = string | number | null;

/**
 * A piece of a statement: SQL from this program's source and values from anywhere, kept apart until the statement is
 * printed. So a value never becomes SQL, whatever it contains.
 *
 * drizzle's `sql` does the same for settings and rules (`store/database/builder.ts`). It is not used here because a filter
 * may have 20,000 conditions: drizzle took 0.2 to 0.5 s to print them; this takes 0.05 s.
 */
export class Sql {
  readonly texts: readonly string[];
  /** One element less than `texts`. */
  readonly parts: readonly (Sql | SqlValue)[];

  constructor(texts: readonly string[], parts: readonly (Sql | SqlValue)[]) {
    this.texts = texts;
    this.parts = parts;
  }
}

/** Used as sql`r.cost > ${5}`: pieces become part of the statement, everything else is a bound value. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (Sql | SqlValue)[]): Sql {
  return new Sql(texts, parts);
}

/** SQL as a piece, for example the name of a column. Never for text from outside. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

/** Pieces with a separator between them. */
export function join(pieces: readonly Sql[], separator: string): Sql {
  if (pieces.length === 0) return EMPTY;
  const between = new Array<string>(pieces.length - 1).fill(separator);
  return new Sql(["", ...between, ""], pieces);
}

export const EMPTY = raw("");

/** @param spell - returns the placeholder for a value. */
export function print(piece: Sql, spell: (value: SqlValue) => string): string {
  const printed: string[] = [];
  const add = ({ texts, parts }: Sql): void => {
    printed.push(texts[0]!);
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at]!;
      if (part instanceof Sql) add(part);
      else printed.push(spell(part));
      printed.push(texts[at + 1]!);
    }
  };
  add(piece);
  return printed.join("");
}
