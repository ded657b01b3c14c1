import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

/** Notes a running operation in a file of the data directory's `state/`, so that a start after a crash can complete it. */
export class NoteFile<Note> {
  readonly #path: string;

  constructor(dataDirectory: string, name: string) {
    this.#path = join(dataDirectory, "state", name);
  }

  /** Undefined when there is none, or when it was not written completely: then nothing of it was sent either. */
  read(): Note | undefined {
    let text: string;
    try {
      text = readFileSync(this.#path, "utf8");
    } catch (error) {
      if ((error as { code?: unknown }).code === "ENOENT") return undefined;
      throw error;
    }
    return text === "" ? undefined : (JSON.parse(text) as Note);
  }

  /** Synced to disk when it returns. */
  write(note: Note | undefined): void {
    const folder = dirname(this.#path);
    mkdirSync(folder, { recursive: true });
    const next = `${this.#path}.next`;
    const file = openSync(next, "w", 0o600);
    try {
      writeWhole(file, Buffer.from(note === undefined ? "" : JSON.stringify(note)));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(next, this.#path);
    const directory = openSync(folder, "r");
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  }
}

function writeWhole(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.byteLength; ) at += writeSync(file, bytes, at);
}
