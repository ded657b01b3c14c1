import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import type { Entry, StoredEntry } from "../../plugin/host/entries.ts";
import { pluginAct } from "../audit/plugin-acts.ts";
import { recorded } from "../audit/recorded.ts";
import type { Database } from "../store.ts";

/** Entries that were written after `version`, in the order of writing; 0 asks for all. Removed ones have the value null. */
export function readEntries(records: Database, version: number): Promise<StoredEntry[]> {
  const sql = "select plugin, key, value, version from plugin_entries where version > ? order by version";
  return records.query<StoredEntry>({ sql, args: [version] });
}

/**
 * All or nothing, with the entries of the audit log for what is a setting. What is removed stays as a row without a value,
 * so that others see that it is gone.
 */
export async function writeEntries(records: Database, entries: readonly Entry[], by: Acting): Promise<void> {
  const sql = `insert into plugin_entries (plugin, key, value, version)
    values (?, ?, ?, (select coalesce(max(version), 0) + 1 from plugin_entries))
    on conflict (plugin, key) do update set value = excluded.value, version = excluded.version`;
  const acts: Act[] = [];
  for (const entry of entries) {
    const [known] = await records.query<{ value: string | null }>({
      sql: "select value from plugin_entries where plugin = ? and key = ?",
      args: [entry.plugin, entry.key],
    });
    const act = pluginAct(entry, known?.value);
    if (act !== undefined) acts.push(act);
  }
  const statements = entries.map(({ plugin, key, value }) => ({ sql, args: [plugin, key, value] }));
  await recorded(records, statements, by, ...acts);
}
