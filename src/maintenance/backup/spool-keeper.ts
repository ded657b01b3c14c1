import * as fs from "node:fs";
import { join } from "node:path";
import { writtenEnd } from "../../spool/written-end.ts";

/** A segment exists for at least some seconds, since it must be filled first; new ones are searched for at this interval. */
const LOOK_EVERY_MS = 20;
const NAME = /\.(spool|carry)$/;

/**
 * Keeps the files of a spool open while the database is copied: the recorder deletes a segment once it is in the database,
 * but an earlier copy may lack it. An open file keeps its bytes.
 */
export class SpoolKeeper {
  readonly #directory: string;
  readonly #open = new Map<string, number>();
  readonly #looking: ReturnType<typeof setInterval>;

  /** Scans immediately, and repeatedly until `stop`. */
  constructor(directory: string) {
    this.#directory = directory;
    this.look();
    this.#looking = setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  look(): void {
    for (const name of fs.existsSync(this.#directory) ? fs.readdirSync(this.#directory) : []) {
      if (!NAME.test(name) || this.#open.has(name)) continue;
      try {
        this.#open.set(name, fs.openSync(join(this.#directory, name), "r"));
      } catch (error) {
        // Deleted between the two calls: a copy that starts now contains all of it.
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      }
    }
  }

  /** Scans a last time. */
  stop(): void {
    clearInterval(this.#looking);
    this.look();
  }

  /**
   * Name, open file and current length, lowest name first. The last segment may still be written: its end is then torn, as after
   * a kill, and without the zeros that the writer may cut at any time.
   */
  *files(): Generator<{ readonly name: string; readonly fd: number; readonly bytes: number }> {
    const files = [...this.#open].sort(([a], [b]) => (a < b ? -1 : 1));
    const newest = files.findLast(([name]) => name.endsWith(".spool"))?.[1];
    for (const [name, fd] of files) {
      yield { name, fd, bytes: fd === newest ? writtenEnd(fd, 0) : fs.fstatSync(fd).size };
    }
  }

  close(): void {
    clearInterval(this.#looking);
    for (const fd of this.#open.values()) fs.closeSync(fd);
    this.#open.clear();
  }
}
