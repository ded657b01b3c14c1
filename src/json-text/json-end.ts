import { CLOSE_LIST, CLOSE_OBJECT, OPEN_LIST, OPEN_OBJECT, QUOTE } from "./scan.ts";

const BACKSLASH = 0x5c;

/** Reads JSON text in pieces and detects the end of its object. Reads each character once. */
export class JsonEnd {
  reached = false;
  #depth = 0;
  #inString = false;
  #escaped = false;

  read(text: string): void {
    for (let at = 0; at < text.length && !this.reached; at++) this.#character(text.charCodeAt(at));
  }

  #character(code: number): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (code === BACKSLASH) this.#escaped = true;
      else if (code === QUOTE) this.#inString = false;
    } else if (code === QUOTE) this.#inString = true;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#depth++;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.reached = --this.#depth <= 0;
  }
}
