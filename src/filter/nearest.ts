/** The valid name that is spelt most like `name`, as a hint; the first few where none is near. */
export function hint(name: string, valid: readonly string[]): string {
  const nearest = name === "" ? undefined : nearestName(name, valid);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  const some = valid.slice(0, 8).map((each) => `"${each}"`);
  return `known: ${some.join(", ")}${valid.length > some.length ? ", …" : ""}`;
}

/** What a caller wrote, short enough for a message. */
export function quote(name: string): string {
  return name.length > 64 ? `"${name.slice(0, 64)}…"` : `"${name}"`;
}

function nearestName(name: string, valid: readonly string[]): string | undefined {
  const wanted = plain(name.slice(0, 64));
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of valid) {
    const distance = editDistance(wanted, plain(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return bestDistance <= Math.max(2, Math.floor(wanted.length / 3)) ? best : undefined;
}

/** Case and separators are what people get wrong most. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, "");
}

/** Inserted, removed or replaced characters between two short names (Levenshtein). */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[right.length]!;
}
