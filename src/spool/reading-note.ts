import * as fs from "node:fs";
import { join } from "node:path";

/** What the recorder does with an exchange: reads it, passes it to plugins, or stores it unread. */
export type Step = "read" | "plugins" | "raw";
const STEPS: readonly Step[] = ["read", "plugins", "raw"];

/** Content of the file while exchanges are processed. */
export interface Note {
  /** One, or several short ones that are read together. */
  readonly ids: readonly string[];
  readonly step: Step;
  /** How often processing has begun, including earlier starts that found this id in the file. */
  readonly tries: number;
  /** Id of the recorder's thread on Linux; 0 elsewhere. */
  readonly threadId: number;
}

/** An exchange that crashed the thread or the process in this step, and the reason for its record. */
interface Fault {
  readonly step: Step;
  readonly reason: string;
}

/** Maximum exchanges in one note. */
export const NOTED_MAX = 16;
/** Fixed size of the note, which is overwritten in place. */
const NOTE_BYTES = 60 + NOTED_MAX * 37;
const NOTE = /^([0-9a-f-]{36}(?:,[0-9a-f-]{36})*) (\w+) (\d+) (\d+)\s*\n$/;
/** A kill during an exchange says little about it; a second one during the same exchange does. */
const TRIES_MAX = 2;
const FAULTS_MAX = 1_000;

/** The files of one thread that reads bodies: its current exchanges, and those that crashed it. */
export interface NoteFiles {
  readonly note: string;
  readonly faults: string;
}

/** Files of the recorder. */
const RECORDING: NoteFiles = { note: "reading", faults: "crashed.json" };
/** Files of the job that rereads unread records. */
export const REREADING: NoteFiles = { note: "rereading", faults: "rereading-crashed.json" };

/** @returns undefined if nothing is being processed, or there is no file. */
export function readNote(directory: string, { note } = RECORDING): Note | undefined {
  try {
    const [, ids, step, tries, threadId] = NOTE.exec(fs.readFileSync(join(directory, note), "latin1")) ?? [];
    if (ids === undefined || !STEPS.includes(step as Step)) return undefined;
    return { ids: ids.split(","), step: step as Step, tries: Number(tries), threadId: Number(threadId) };
  } catch {
    return undefined;
  }
}

/**
 * Records in a file next to the segments which exchange is being processed, so that an exchange that crashes the thread or
 * the process is recognized at the next start and skipped. If several were read together, each is read separately at the
 * next start. Overwriting in place reaches the page cache immediately, and that outlives the process. Nothing here throws:
 * without the files only the detection is lost.
 */
export class ReadingNote {
  readonly #faultsPath: string;
  readonly #threadId = ownThreadId();
  readonly #faults: Map<string, Fault>;
  /** What was being processed when the last run ended. */
  readonly #last: Note | undefined;
  #fd: number | undefined;
  #isClear: boolean;
  /** The file's content, reused: creating it for each record would cost as much as the write. */
  readonly #content = Buffer.alloc(NOTE_BYTES, " ");

  /** @param ended - how the previous thread ended, if this process observed it. */
  constructor(directory: string, ended?: string, files = RECORDING) {
    this.#faultsPath = join(directory, files.faults);
    this.#faults = readFaults(this.#faultsPath);
    this.#last = readNote(directory, files);
    this.#isClear = this.#last === undefined;
    this.#content.write("\n", NOTE_BYTES - 1);
    if (this.#last?.ids.length === 1 && (ended !== undefined || this.#last.tries >= TRIES_MAX)) {
      const { ids, step } = this.#last;
      const doing = step === "plugins" ? "while plugins saw it" : "while it was read";
      this.#faults.set(ids[0]!, { step, reason: `crash: ${ended ?? "the process ended"} ${doing}` });
      this.#writeFaults();
    }
    try {
      this.#fd = fs.openSync(join(directory, files.note), fs.constants.O_WRONLY | fs.constants.O_CREAT, 0o600);
    } catch {
      return; // the directory cannot be written now
    }
  }

  /** The known fault of an exchange, or undefined. */
  faultOf(id: string): Fault | undefined {
    return this.#faults.size === 0 ? undefined : this.#faults.get(id);
  }

  /** Whether it may have ended the previous run, or has: it must then be processed separately. */
  isSuspect(id: string): boolean {
    return this.faultOf(id) !== undefined || this.#last?.ids.includes(id) === true;
  }

  begin(id: string, step: Step): void {
    const last = this.#last;
    const isAgain = last?.ids.length === 1 && last.ids[0] === id && last.step === step;
    this.#note(id, step, isAgain ? last.tries + 1 : 1);
  }

  /** @param ids - at most `NOTED_MAX`, none of them suspect. */
  beginTogether(ids: readonly string[]): void {
    this.#note(ids.join(), "read", 1);
  }

  /** Nothing is being processed. */
  clear(): void {
    if (this.#isClear) return;
    this.#write("");
    this.#isClear = true;
  }

  /** Whether any exchange has a known fault. */
  get hasFaults(): boolean {
    return this.#faults.size > 0;
  }

  /** These exchanges are in the database: forgets their faults. */
  settle(ids: Iterable<string>): void {
    if (this.#faults.size === 0) return;
    let changed = false;
    for (const id of ids) changed = this.#faults.delete(id) || changed;
    if (changed) this.#writeFaults();
  }

  close(): void {
    if (this.#fd === undefined) return;
    this.clear();
    fs.closeSync(this.#fd);
    this.#fd = undefined;
  }

  #note(ids: string, step: Step, tries: number): void {
    this.#write(`${ids} ${step} ${tries} ${this.#threadId}`);
    this.#isClear = false;
  }

  #write(text: string): void {
    if (this.#fd === undefined) return;
    try {
      this.#content.fill(" ", this.#content.write(text, "latin1"), NOTE_BYTES - 1);
      fs.writeSync(this.#fd, this.#content, 0, NOTE_BYTES, 0);
    } catch {
      return; // a full disk: the spool reports it
    }
  }

  #writeFaults(): void {
    const path = this.#faultsPath;
    try {
      if (this.#faults.size === 0) fs.rmSync(path, { force: true });
      else {
        const newest = [...this.#faults].slice(-FAULTS_MAX);
        fs.writeFileSync(`${path}.new`, JSON.stringify(Object.fromEntries(newest)), { mode: 0o600 });
        fs.renameSync(`${path}.new`, path);
      }
    } catch {
      return; // they are known until this thread ends
    }
  }
}

function readFaults(path: string): Map<string, Fault> {
  try {
    const faults = Object.entries(JSON.parse(fs.readFileSync(path, "utf8")) as Record<string, Fault>);
    return new Map(faults.filter(([, fault]) => STEPS.includes(fault?.step) && typeof fault.reason === "string"));
  } catch {
    return new Map();
  }
}

function ownThreadId(): number {
  try {
    return Number(/\/task\/(\d+)$/.exec(fs.readlinkSync("/proc/thread-self"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
