import { patiently } from "../database/while-locked.ts";
import { readSetting, writeSetting } from "../settings.ts";
import type { Database } from "../store.ts";

const ORDER = "erase ordered at";
const DONE = "erase done";

/** Orders every node to erase deleted bytes from its packs immediately. @returns the order. */
export async function orderErasure(records: Database): Promise<string> {
  const order = String(Date.now());
  await write(records, ORDER, order);
  return order;
}

/** The result of an order. */
interface Erased {
  readonly order: string;
  /** Whether the spool has dropped what was deleted, too: a request in flight may need its segment. */
  readonly journal: boolean;
}

/** Notes that an order was carried out. */
export function noteErased(records: Database, erased: Erased): Promise<void> {
  return write(records, DONE, JSON.stringify(erased));
}

/** Undefined until the order is carried out. */
export async function erasedBy(records: Database, order: string): Promise<Erased | undefined> {
  const value = await readSetting(records, DONE);
  const erased = value === undefined ? undefined : (JSON.parse(value) as Erased);
  return erased?.order === order ? erased : undefined;
}

async function write(records: Database, name: string, value: string): Promise<void> {
  await patiently(() => writeSetting(records, name, value));
}

/** The last order, undefined when there was none; each order is different. */
export function erasureOrder(records: Database): Promise<string | undefined> {
  return readSetting(records, ORDER);
}

/** Number of packs that may hold deleted bytes. */
export async function packsToErase(bodies: Database): Promise<number> {
  const [row] = await bodies.query<{ n: number }>({ sql: "select count(*) as n from pack_erasures", args: [] });
  return row!.n;
}
