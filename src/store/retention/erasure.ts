import { patiently } from "../database/patiently.ts";
import { readSetting, writeSetting } from "../settings.ts";
import type { Database } from "../store.ts";

const ORDER = "erase ordered at";
const DONE = "erase done";

/** Has every node take the bytes of what was removed out of its packs at once. @returns the order. */
export async function orderErasure(records: Database): Promise<string> {
  const order = String(Date.now());
  await write(records, ORDER, order);
  return order;
}

/** What has come of an order. */
export interface Erased {
  readonly order: string;
  /** Whether the journal has let go of what was deleted, too: a request in flight may need its segment. */
  readonly journal: boolean;
}

/** Notes that an order was carried out. */
export function noteErased(records: Database, erased: Erased): Promise<void> {
  return write(records, DONE, JSON.stringify(erased));
}

/** Undefined before the order is carried out. */
export async function erasedBy(records: Database, order: string): Promise<Erased | undefined> {
  const value = await readSetting(records, DONE);
  const erased = value === undefined ? undefined : (JSON.parse(value) as Erased);
  return erased?.order === order ? erased : undefined;
}

async function write(records: Database, name: string, value: string): Promise<void> {
  await patiently(() => writeSetting(records, name, value));
}

/** The last order, or undefined where there never was one; it changes with each. */
export function erasureOrder(records: Database): Promise<string | undefined> {
  return readSetting(records, ORDER);
}

/** Packs that may hold bytes of what was removed. */
export async function packsToErase(bodies: Database): Promise<number> {
  const [row] = await bodies.query<{ n: number }>({ sql: "select count(*) as n from pack_erasures", args: [] });
  return row!.n;
}
