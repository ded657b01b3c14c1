/**
 * The name among `known` with the spelling closest to `name`, or undefined if none is close: for "did you mean" messages.
 * Case, `-` and `_` do not count.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = plain(name).slice(0, 64);
  let best: string | undefined;
  // Of a name of three letters or fewer, two changes leave hardly anything.
  const farthest = wanted.length <= 3 ? 1 : Math.max(2, Math.floor(wanted.length / 3));
  let bestDistance = farthest + 1;
  for (const candidate of known) {
    const written = plain(candidate);
    // The difference in length is a lower bound of the edit distance.
    if (Math.abs(written.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, written);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}

/** The Levenshtein distance of `a` and `b`. */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, above[j]! + 1, row[j - 1]! + 1));
    }
    above = row;
  }
  return above[b.length]!;
}
