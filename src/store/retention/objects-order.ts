import { patiently } from "../database/while-locked.ts";
import { initSetting, readSetting, removeSetting } from "../settings.ts";
import type { Database } from "../store.ts";

const ORDER = "bodies to objects";

/** Orders the service to move contents from the database into the object store. The order stays until everything is moved. */
export function orderObjects(records: Database): Promise<void> {
  return patiently(() => initSetting(records, ORDER, ""));
}

export async function areObjectsOrdered(records: Database): Promise<boolean> {
  return (await readSetting(records, ORDER)) !== undefined;
}

/** Notes that everything is moved. */
export function noteObjects(records: Database): Promise<void> {
  return patiently(() => removeSetting(records, ORDER));
}
