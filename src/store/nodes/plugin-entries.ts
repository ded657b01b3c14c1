import { and, eq, gt, sql } from "drizzle-orm";
import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import type { Entry, StoredEntry } from "../../plugin-host/host/entries.ts";
import { pluginEntries } from "../../record/tables.ts";
import { pluginAct } from "../audit/plugin-acts.ts";
import { recorded } from "../audit/recorded.ts";
import { over } from "../database/builder.ts";
import type { Database } from "../store.ts";

/** Entries written after `version`, in the order of writing; 0 for all. Removed ones have the value null. */
export async function readEntries(records: Database, version: number): Promise<StoredEntry[]> {
  const { version: written } = pluginEntries;
  return over(records).select().from(pluginEntries).where(gt(written, version)).orderBy(written);
}

/**
 * Writes all entries or none, with audit log entries for settings. A removed entry stays as a row without a value, so that
 * other processes see the removal.
 */
export async function writeEntries(records: Database, entries: readonly Entry[], by: Acting): Promise<void> {
  const { plugin, key, version } = pluginEntries;
  const next = sql`(select coalesce(max(${version}), 0) + 1 from ${pluginEntries})`;
  const acts: Act[] = [];
  for (const entry of entries) {
    const which = and(eq(plugin, entry.plugin), eq(key, entry.key));
    const known = await over(records).select().from(pluginEntries).where(which).get();
    const act = pluginAct(entry, known?.value);
    if (act !== undefined) acts.push(act);
  }
  const statements = entries.map((entry) =>
    over(records)
      .insert(pluginEntries)
      .values({ ...entry, version: next })
      .onConflictDoUpdate({ target: [plugin, key], set: { value: entry.value, version: sql`excluded.version` } }),
  );
  await recorded(records, statements, by, ...acts);
}
