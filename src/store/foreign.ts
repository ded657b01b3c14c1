/** Tables that SQLite, libSQL and tools for replication make. */
const OF_THE_SYSTEM = /^(sqlite|libsql|_)/;

/** Of a database's tables those of something else; none where Weir has been at it. */
export function foreignTables(names: readonly string[]): readonly string[] {
  return names.includes("migrations") ? [] : names.filter((name) => !OF_THE_SYSTEM.test(name));
}

/** @param foreign - at least one. */
export const saysForeign = (database: string, foreign: readonly string[]): string =>
  `${database} holds tables of something else (${foreign.slice(0, 3).join(", ")})`;
