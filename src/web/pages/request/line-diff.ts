/** A line that both texts have, or only the first, or only the second. */
interface DiffLine {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** Line comparisons, at most; if more were needed, all lines of the first text precede all of the second. */
const CELLS_MAX = 4_000_000;

/** The shortest edit from one text to the other, line by line. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const same = (text: string): DiffLine => ({ mark: " ", text });
  return [
    ...a.slice(0, start).map(same),
    ...between(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

/** By the longest common subsequence. */
function between(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ mark: "-", text });
  const added = (text: string): DiffLine => ({ mark: "+", text });
  if (a.length * b.length > CELLS_MAX) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const next = (i + 1) * width + j;
      common[i * width + j] =
        a[i] === b[j] ? common[next + 1]! + 1 : Math.max(common[next]!, common[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ mark: " ", text: a[i]! });
      [i, j] = [i + 1, j + 1];
    } else if (j === b.length || (i < a.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      lines.push(removed(a[i++]!));
    } else lines.push(added(b[j++]!));
  }
  return lines;
}

/** Equal lines shown around a change; longer runs of them are left out. */
const AROUND = 3;

/** The changes with their context; a number stands for that many equal lines left out. */
export function folded(lines: readonly DiffLine[]): (DiffLine | number)[] {
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ mark }) => mark !== " ");
  const shown: (DiffLine | number)[] = [];
  for (const [at, line] of lines.entries()) {
    const last = shown.at(-1);
    if (isNear(at)) shown.push(line);
    else if (typeof last === "number") shown[shown.length - 1] = last + 1;
    else shown.push(1);
  }
  return shown;
}

/** Characters that a line counts for at least: each is an element of the page. */
const LINE_CHARS_MIN = 100;

/** How many of the lines have `chars` characters, if none counts for more than `lineMax`; at least one. */
export function linesWithin(lines: readonly (DiffLine | number)[], chars: number, lineMax: number): number {
  let left = chars;
  const past = lines.findIndex((line) => {
    const length = typeof line === "number" ? 0 : line.text.length;
    left -= Math.min(lineMax, Math.max(LINE_CHARS_MIN, length));
    return left < 0;
  });
  return past < 0 ? lines.length : Math.max(1, past);
}
