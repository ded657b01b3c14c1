import { and, eq } from "drizzle-orm";
import { settings } from "../record/tables.ts";
import { ifGiven, over } from "./database/builder.ts";
import type { Database } from "./store.ts";

/** What stands under a name; undefined where nothing does. */
export async function readSetting(records: Database, name: string): Promise<string | undefined> {
  return (await over(records).select().from(settings).where(eq(settings.name, name)).get())?.value;
}

export async function writeSetting(records: Database, name: string, value: string): Promise<void> {
  const upsert = over(records).insert(settings).values({ name, value });
  await upsert.onConflictDoUpdate({ target: settings.name, set: { value } });
}

/** Leaves a value that is there already. */
export async function initSetting(records: Database, name: string, value: string): Promise<void> {
  await over(records).insert(settings).values({ name, value }).onConflictDoNothing();
}

/** @param value - a setting with another value stays. */
export async function removeSetting(records: Database, name: string, value?: string): Promise<void> {
  const which = and(eq(settings.name, name), ifGiven(settings.value, value));
  await over(records).delete(settings).where(which);
}
