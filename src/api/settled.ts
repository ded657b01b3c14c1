import type { ApiRoom } from "./room.ts";

/** How long a reader waits for what was sent before it: after that it reads what is there. */
const WAIT_MS = 1_000;

/** Resolves once everything that happened before this call can be read, or after a second. Never rejects. */
export async function settled(room: ApiRoom): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS);
  });
  // A recorder that cannot write must not keep anyone from reading what it wrote before.
  await Promise.race([room.recorder.barrier().catch(() => {}), limit]);
  clearTimeout(timer);
}
