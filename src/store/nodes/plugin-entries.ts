import type { Entry, StoredEntry } from "../../plugin/host/entries.ts";
import type { Database } from "../store.ts";

/** Entries that were written after `version`, in the order of writing; 0 asks for all. Removed ones have the value null. */
export function readEntries(records: Database, version: number): Promise<StoredEntry[]> {
  const sql = "select plugin, key, value, version from plugin_entries where version > ? order by version";
  return records.query<StoredEntry>({ sql, args: [version] });
}

/** All or nothing. What is removed stays as a row without a value, so that others see that it is gone. */
export function writeEntries(records: Database, entries: readonly Entry[]): Promise<void> {
  const sql = `insert into plugin_entries (plugin, key, value, version)
    values (?, ?, ?, (select coalesce(max(version), 0) + 1 from plugin_entries))
    on conflict (plugin, key) do update set value = excluded.value, version = excluded.version`;
  return records.batch(entries.map(({ plugin, key, value }) => ({ sql, args: [plugin, key, value] })));
}
