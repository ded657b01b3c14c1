import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { type Log, messageOf } from "../../log.ts";
import type { Json, PluginJournal } from "../contract.ts";

/** Bytes appended before the file is rewritten; more if the snapshot itself is large. */
const COMPACT_BYTES = 1024 * 1024;

/** Milliseconds between two checks of the written file. */
const LOOK_MS = 1_000;

/**
 * A plugin's journal: one JSON value per line. Values appended in one turn of the event loop are one write at its end.
 *
 * A full disk fails no request and uses no memory: the file is rewritten from the plugin's own snapshot as soon as possible.
 * The same happens if the file was deleted, replaced or truncated meanwhile.
 */
export class Journal implements PluginJournal {
  readonly #path: string;
  readonly #log: Log;
  #file: number | undefined;
  /** Values to write. */
  #bytes = 0;
  #lookedMs = 0;
  #pending = "";
  #scheduled = false;
  #snapshot: (() => Iterable<Json>) | undefined;
  /** Bytes appended since the last snapshot. */
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
    let broken = 0;
    const entries = text.split("\n").flatMap((line): Json[] => {
      if (line === "") return [];
      try {
        return [JSON.parse(line)];
      } catch {
        broken++; // torn by a crash, together with the next run's first line, or damaged
        return [];
      }
    });
    if (broken > 0) this.#log.warn("lines of a plugin's journal cannot be read and are skipped", { lines: broken });
    return entries;
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

  /** Writes everything appended so far to the page cache. */
  flush(): void {
    this.#scheduled = false;
    if (this.#pending === "" && !this.#failed) return;
    try {
      if (this.#snapshot !== undefined && this.#isDue()) this.#rewrite();
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
      // The line break keeps a torn last line from swallowing the next one.
      this.#bytes = fstatSync(this.#file).size + writeSync(this.#file, "\n");
    }
    this.#bytes += writeSync(this.#file, this.#pending);
    this.#appended += this.#pending.length;
  }

  /** The snapshot includes the pending entries, because the plugin's state already has them. */
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

  #isDue(): boolean {
    return this.#failed || this.#appended > this.#compactAt || this.#isChanged();
  }

  /** Whether another process deleted, replaced or truncated the file. */
  #isChanged(): boolean {
    const nowMs = performance.now();
    if (this.#file === undefined || nowMs - this.#lookedMs < LOOK_MS) return false;
    this.#lookedMs = nowMs;
    const own = fstatSync(this.#file);
    const there = statSync(this.#path, { throwIfNoEntry: false });
    const isSame = there?.ino === own.ino && there.dev === own.dev && own.size === this.#bytes;
    if (!isSame) this.#log.warn("a plugin's journal was changed by another program; it is rewritten");
    return !isSame;
  }

  #letGo(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** A read-only journal that another process writes, for the command line. */
export function readOnlyJournal(path: string, log: Log): PluginJournal {
  const journal = new Journal(path, log);
  return { read: () => journal.read(), append: () => {}, onCompact: () => {} };
}
