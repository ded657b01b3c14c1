import { messageOf } from "../../log.ts";
import { readOrder, removeOrder, writeOrder } from "../../store/models/recompute-order.ts";
import type { Database, Store } from "../../store/store.ts";
import { rereadUnread, type UnreadProgress } from "./unread.ts";

/** Names of the values in `settings`. */
const ORDER = "models reread order";
const STATE = "models reread state";

interface UnreadOrder {
  readonly id: string;
}

interface UnreadState extends UnreadProgress {
  readonly id: string;
  readonly done: boolean;
  /** Why it failed. */
  readonly failed?: string;
}

/** Requests that a running service reads unread records again; the service does it because it writes the records. */
export async function placeUnreadOrder(records: Database, order: UnreadOrder): Promise<void> {
  await writeOrder(records, ORDER, order);
}

/** The result of an order; undefined before it starts. */
export async function unreadStateOf(records: Database, id: string): Promise<UnreadState | undefined> {
  const state = await readOrder<UnreadState>(records, STATE);
  return state?.id === id ? state : undefined;
}

/** Processes the current order; it is removed when it is done. */
export async function serveUnreadOrder(
  options: Parameters<typeof rereadUnread>[0] & { readonly writer: () => Promise<Store> },
): Promise<void> {
  const order = await readOrder<UnreadOrder>(options.reader.records, ORDER);
  if (order === undefined) return;
  const { records } = await options.writer();
  const say = (state: UnreadProgress & { readonly done: boolean; readonly failed?: string }) =>
    writeOrder(records, STATE, { id: order.id, ...state });
  try {
    await say({ seen: 0, read: 0, done: false });
    await say({ ...(await rereadUnread(options)), done: true });
  } catch (error) {
    await say({ seen: 0, read: 0, done: true, failed: messageOf(error) });
    throw error;
  } finally {
    await removeOrder(records, ORDER, order);
  }
}
