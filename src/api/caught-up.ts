import { within } from "../runtime/within.ts";
import type { ApiContext } from "./context.ts";

/** How long a reader waits for earlier writes; after that it reads what is there. */
const WAIT_MS = 1_000;

/** Resolves once everything that happened before this call can be read, or after a second. Never rejects. */
export async function settled(context: ApiContext): Promise<void> {
  await soon(context.recorder.barrier());
}

/** Waits at most a second for the index of words. Never rejects. @returns whether all records are in it. */
export function indexed(context: ApiContext): Promise<boolean> {
  return soon(context.recorder.indexWords());
}

/** If the recorder cannot write, earlier records must still be readable. */
function soon(done: Promise<void>): Promise<boolean> {
  const isDone = done.then(() => true);
  return within(isDone, WAIT_MS, () => false).catch(() => false);
}
