import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import { rereadUnread, type UnreadProgress } from "../jobs/remap/unread.ts";
import { placeUnreadOrder, unreadStateOf } from "../jobs/remap/unread-order.ts";
import { lockDirectory } from "../store/database/lock.ts";
import type { Run } from "./command.ts";
import { regionConfig } from "./region.ts";
import { CommandError } from "./usage-error.ts";
import { reachDirectory, withStore } from "./with-store.ts";
import { withoutService } from "./without-service.ts";

/** How long to wait for a running service to begin. */
const BEGIN_MS = 60_000;
const LOOK_MS = 200;

/** A running service reads them again, because it writes the records; without one this command does. */
export const rereadUnreadCommand: Run = async (invocation) => {
  const config = regionConfig(invocation);
  reachDirectory(config);
  const lock = lockDirectory(config.data_dir);
  const spoolDirectory = join(config.data_dir, "spool");
  let done: UnreadProgress;
  try {
    done =
      lock === undefined
        ? await served(config)
        : await withoutService(invocation, config, (parts) => rereadUnread({ ...parts, spoolDirectory }));
  } finally {
    lock?.release();
  }
  const { seen, read } = done;
  invocation.terminal.out(`${JSON.stringify({ records: seen, read, unread: seen - read })}\n`);
  return seen === read ? 0 : 1;
};

/** Requests the job from the running service, and waits. */
async function served(config: Config): Promise<UnreadProgress> {
  const id = randomUUID();
  return withStore(config, async ({ records }) => {
    await placeUnreadOrder(records, { id });
    for (const begunUntil = Date.now() + BEGIN_MS; ; await sleep(LOOK_MS)) {
      const state = await unreadStateOf(records, id);
      if (state?.failed !== undefined) throw new CommandError(`the service gave up: ${state.failed}`);
      if (state?.done) return state;
      if (state === undefined && Date.now() > begunUntil)
        throw new CommandError("the service has not begun yet; it will read them later");
    }
  });
}
