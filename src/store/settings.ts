import { and, eq } from "drizzle-orm";
import { settings } from "../record/tables.ts";
import { ifGiven, over } from "./database/builder.ts";
import type { Database } from "./store.ts";

/** The value of a setting; undefined when it is not set. */
export async function readSetting(records: Database, name: string): Promise<string | undefined> {
  return (await over(records).select().from(settings).where(eq(settings.name, name)).get())?.value;
}

export async function writeSetting(records: Database, name: string, value: string): Promise<void> {
  const upsert = over(records).insert(settings).values({ name, value });
  await upsert.onConflictDoUpdate({ target: settings.name, set: { value } });
}

/** Sets a value unless there is one already. */
export async function initSetting(records: Database, name: string, value: string): Promise<void> {
  await over(records).insert(settings).values({ name, value }).onConflictDoNothing();
}

/** @param value - removes the setting only if it has this value. */
export async function removeSetting(records: Database, name: string, value?: string): Promise<void> {
  const which = and(eq(settings.name, name), ifGiven(settings.value, value));
  await over(records).delete(settings).where(which);
}
