const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Reads JSON text in pieces and detects the end of its object. Reads each character once. */
export class JsonEnd {
  reached = false;
  private depth = 0;
  private inString = false;
  private escaped = false;

  read(text: string): void {
    for (let at = 0; at < text.length && !this.reached; at++) this.character(text.charCodeAt(at));
  }

  private character(code: number): void {
    if (this.inString) {
      if (this.escaped) this.escaped = false;
      else if (code === BACKSLASH) this.escaped = true;
      else if (code === QUOTE) this.inString = false;
    } else if (code === QUOTE) this.inString = true;
    else if (code === 0x7b || code === 0x5b) this.depth++;
    else if (code === 0x7d || code === 0x5d) this.reached = --this.depth <= 0;
  }
}
