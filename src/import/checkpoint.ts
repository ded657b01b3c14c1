import { readFile, rename, rm, writeFile } from "node:fs/promises";
import type { Place } from "./source.ts";

/** The progress of a file's import, and its target. */
export interface Checkpoint extends Place {
  readonly version: 1;
  readonly apiUrl: string;
  readonly brand: string | null;
  /** Identity of the file: a different file with this name is read from its beginning. */
  readonly size: number;
  readonly modifiedMs: number;
  /** Rejected records before this position. */
  readonly rejected: number;
}

export function checkpointPath(file: string): string {
  return `${file}.weir-import`;
}

/** The checkpoint of a file if it belongs to this import, otherwise undefined. */
export async function loadCheckpoint(
  file: string,
  wanted: Pick<Checkpoint, "apiUrl" | "brand" | "size" | "modifiedMs">,
): Promise<Checkpoint | undefined> {
  let found: Checkpoint;
  try {
    found = JSON.parse(await readFile(checkpointPath(file), "utf8")) as Checkpoint;
  } catch {
    return undefined; // none, or not ours: everything is sent again, which changes nothing
  }
  const same =
    found !== null &&
    typeof found === "object" &&
    found.version === 1 &&
    (found.shape === "lines" || found.shape === "array") &&
    [found.number, found.end, found.rejected].every((each) => Number.isSafeInteger(each) && each >= 0) &&
    found.end <= wanted.size &&
    found.apiUrl === wanted.apiUrl &&
    found.brand === wanted.brand &&
    found.size === wanted.size &&
    found.modifiedMs === wanted.modifiedMs;
  return same ? found : undefined;
}

/** Replaces it atomically, so that a killed process leaves the previous one. */
export async function saveCheckpoint(file: string, checkpoint: Checkpoint): Promise<void> {
  const path = checkpointPath(file);
  await writeFile(`${path}.new`, JSON.stringify(checkpoint));
  await rename(`${path}.new`, path);
}

export async function removeCheckpoint(file: string): Promise<void> {
  await rm(checkpointPath(file), { force: true });
}
