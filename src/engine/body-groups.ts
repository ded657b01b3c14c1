/** Bytes of bodies decoded before other work on this thread gets its turn. */
const GROUP_BYTES = 4 << 20;
const GROUP_ROWS = 200;

/** Groups rows whose bodies are read together. @param bytesOf - size of a row's bodies on the wire. */
export function* bodyGroups<Row>(rows: readonly Row[], bytesOf: (row: Row) => number): Generator<Row[]> {
  let group: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    group.push(row);
    bytes += bytesOf(row);
    if (group.length < GROUP_ROWS && bytes < GROUP_BYTES) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}

/** The rows in random order. */
export function shuffled<Row>(rows: readonly Row[]): Row[] {
  const result = [...rows];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}
