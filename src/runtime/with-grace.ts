/** Waits until a server has stopped; after `graceMs` its connections are cut. */
export async function withGrace(done: Promise<unknown>, graceMs: number, cut: () => void): Promise<void> {
  const timer = setTimeout(cut, graceMs);
  await done;
  clearTimeout(timer);
}
