/** Reads for each item in turn, and reads the next one while the caller processes the current one. Unused results are dropped. */
export async function* readAhead<Item, Read>(
  items: Iterable<Item> | AsyncIterable<Item>,
  read: (item: Item) => Promise<Read>,
): AsyncGenerator<Read> {
  let ahead: Promise<Read> | undefined;
  for await (const item of items) {
    const ready = ahead && [await ahead];
    ahead = read(item);
    ahead.catch(() => {}); // the waiting caller, if any, gets the error
    if (ready !== undefined) yield ready[0]!;
  }
  if (ahead !== undefined) yield await ahead;
}
