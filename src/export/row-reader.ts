import { COMMA, QUOTE, skipSpace, skipString, skipValue } from "../json-text/scan.ts";

/**
 * Finds the members of many objects in JSON text that `JSON.parse` has accepted.
 *
 * The records of one service have the same members in the same order. So the previous object's names are compared in place,
 * and only a different name is parsed, which takes a third of the time. The next object overwrites the result.
 */
export class RowReader {
  /** Names of the members, in their order. The list object stays the same while the members do. */
  names: readonly string[] = [];
  /** Index in the text of each member's name, its value and the value's end. */
  readonly nameAt: number[] = [];
  readonly valueAt: number[] = [];
  readonly valueEnd: number[] = [];
  /** `"name":` of each member. */
  #written: string[] = [];

  /**
   * @param at - index of the opening brace.
   * @returns the index after the closing brace.
   */
  read(text: string, at: number): number {
    let next = skipSpace(text, at + 1);
    let index = 0;
    for (; text.charCodeAt(next) === QUOTE; index++) {
      const written = this.#written[index];
      const known = written !== undefined && text.startsWith(written, next);
      const valueAt = skipSpace(text, known ? next + written.length : this.#learn(text, next, index));
      const valueEnd = skipValue(text, valueAt);
      this.nameAt[index] = next;
      this.valueAt[index] = valueAt;
      this.valueEnd[index] = valueEnd;
      next = skipSpace(text, valueEnd);
      if (text.charCodeAt(next) === COMMA) next = skipSpace(text, next + 1);
    }
    if (index < this.names.length) this.#keep(index);
    return next + 1;
  }

  /** @returns the index after the colon. */
  #learn(text: string, at: number, index: number): number {
    const end = skipString(text, at);
    const colon = skipSpace(text, end);
    this.#keep(index);
    this.#written.push(text.slice(at, colon + 1));
    this.names = [...this.names, JSON.parse(text.slice(at, end)) as string];
    return colon + 1;
  }

  #keep(count: number): void {
    this.#written.length = count;
    this.names = this.names.slice(0, count);
  }
}
