import { within } from "../runtime/within.ts";
import type { ApiRoom } from "./room.ts";

/** How long a reader waits for what was sent before it: after that it reads what is there. */
const WAIT_MS = 1_000;

/** Resolves once everything that happened before this call can be read, or after a second. Never rejects. */
export async function settled(room: ApiRoom): Promise<void> {
  // A recorder that cannot write must not keep anyone from reading what it wrote before.
  await within(room.recorder.barrier(), WAIT_MS, () => undefined).catch(() => undefined);
}
