/** Slots for texts; one that falls into the slot of another replaces it. */
const SLOTS = 256;
/** Longer texts are not remembered. */
const BYTES_MAX = 128;

/** What texts mean, remembered by their bytes: a text that comes again is neither made nor read. */
export class RecentTexts<Meaning> {
  readonly #read: (text: string) => Meaning;
  readonly #slots: ({ readonly text: string; readonly meaning: Meaning } | undefined)[] = Array(SLOTS).fill(undefined);

  /** @param read - what a text means; it may be remembered, so it must depend on nothing else. */
  constructor(read: (text: string) => Meaning) {
    this.#read = read;
  }

  /** What the UTF-8 text `[from, to)` of `buffer` means. */
  at(buffer: Buffer, from: number, to: number): Meaning {
    const length = to - from;
    const slot = (length * 31 + buffer[from]! * 7 + buffer[from + (length >> 1)]!) % SLOTS;
    const recent = this.#slots[slot];
    if (recent !== undefined && isAt(buffer, from, to, recent.text)) return recent.meaning;
    const text = buffer.toString("utf8", from, to);
    const meaning = this.#read(text);
    if (length <= BYTES_MAX) this.#slots[slot] = { text, meaning };
    return meaning;
  }
}

/** Whether these bytes are this text. False for a text that is not ASCII. */
function isAt(buffer: Buffer, from: number, to: number, text: string): boolean {
  if (text.length !== to - from) return false;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) !== buffer[from + at]) return false;
  return true;
}
