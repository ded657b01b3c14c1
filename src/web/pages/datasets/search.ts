/** The state of a dataset in its address. */
interface DatasetSearch {
  /** An earlier version; missing means the newest. */
  readonly version?: number | undefined;
}

export function readDatasetSearch({ version }: Record<string, unknown>): DatasetSearch {
  const number = Number(version);
  return version !== undefined && Number.isSafeInteger(number) && number >= 0 ? { version: number } : {};
}
