import { patiently } from "../database/patiently.ts";
import { initSetting, readSetting, removeSetting } from "../settings.ts";
import type { Database } from "../store.ts";

const ORDER = "bodies to objects";

/** Has the service move what is in the database into the object store. It stays ordered until all is moved. */
export function orderObjects(records: Database): Promise<void> {
  return patiently(() => initSetting(records, ORDER, ""));
}

export async function areObjectsOrdered(records: Database): Promise<boolean> {
  return (await readSetting(records, ORDER)) !== undefined;
}

/** All is moved. */
export function noteObjects(records: Database): Promise<void> {
  return patiently(() => removeSetting(records, ORDER));
}
