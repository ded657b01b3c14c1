import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { type Log, messageOf } from "../../observe.ts";
import type { Json, PluginJournal } from "../contract.ts";

/** Bytes appended before the file is written anew; more where what is kept is large itself. */
const COMPACT_BYTES = 1024 * 1024;

/**
 * A plugin's journal: one JSON value a line. What is appended in one turn of the event loop is one write at its end.
 *
 * A disk that takes nothing more costs no request and no memory: the file is written anew, from the plugin's own
 * snapshot, as soon as it can be written again.
 */
export class Journal implements PluginJournal {
  readonly #path: string;
  readonly #log: Log;
  #file: number | undefined;
  #pending = "";
  #scheduled = false;
  #snapshot: (() => Iterable<Json>) | undefined;
  /** Bytes of the file that a snapshot did not write. */
  #appended = 0;
  #compactAt = COMPACT_BYTES;
  #failed = false;

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  read(): Json[] {
    this.flush();
    if (!existsSync(this.#path)) return [];
    const text = readFileSync(this.#path, "utf8");
    this.#appended = text.length;
    return text.split("\n").flatMap((line) => {
      if (line === "") return [];
      try {
        return [JSON.parse(line)];
      } catch {
        return []; // torn by a crash, with whatever the next run wrote behind it
      }
    });
  }

  append(entry: Json): void {
    if (!this.#failed) this.#pending += `${JSON.stringify(entry)}\n`;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.flush());
  }

  onCompact(snapshot: () => Iterable<Json>): void {
    this.#snapshot = snapshot;
  }

  /** Puts everything appended so far into the page cache. */
  flush(): void {
    this.#scheduled = false;
    if (this.#pending === "" && !this.#failed) return;
    try {
      if (this.#snapshot !== undefined && (this.#failed || this.#appended > this.#compactAt)) this.#rewrite();
      else this.#write();
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) this.#log.error("a plugin's journal cannot be written", { why: messageOf(error) });
      this.#failed = true;
    }
    this.#pending = "";
  }

  close(): void {
    this.flush();
    this.#letGo();
  }

  #write(): void {
    if (this.#file === undefined) {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      this.#file = openSync(this.#path, "a", 0o600);
      // What the last run may have left torn must not swallow the next line.
      writeSync(this.#file, "\n");
    }
    writeSync(this.#file, this.#pending);
    this.#appended += this.#pending.length;
  }

  /** The snapshot holds what is pending: it is taken of the state that those entries have led to. */
  #rewrite(): void {
    this.#letGo();
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const next = `${this.#path}.new`;
    const file = openSync(next, "w", 0o600);
    let bytes = 0;
    try {
      let lines = "";
      for (const entry of this.#snapshot!()) {
        lines += `${JSON.stringify(entry)}\n`;
        if (lines.length < 65_536) continue;
        bytes += writeSync(file, lines);
        lines = "";
      }
      bytes += writeSync(file, lines);
    } finally {
      closeSync(file);
    }
    renameSync(next, this.#path);
    this.#appended = 0;
    this.#compactAt = Math.max(COMPACT_BYTES, 2 * bytes);
  }

  #letGo(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** A journal that others write: the command line looks, and leaves it as it is. */
export function readOnlyJournal(path: string, log: Log): PluginJournal {
  const journal = new Journal(path, log);
  return { read: () => journal.read(), append: () => {}, onCompact: () => {} };
}
