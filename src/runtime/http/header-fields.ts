import { copyOf } from "../text-copy.ts";
import { readLength } from "./length.ts";

const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Maximum number and length of remembered names: clients with invented names must not fill the memory. */
const NAMES_MAX = 5_000;
const NAME_LENGTH_MAX = 128;

/** Names, in lower case, whose values describe a program or a message and repeat. One value of each stays in memory. */
const REPEATING =
  /^(?:host|user-agent|accept(?:-encoding|-language)?|connection|content-(?:type|length|encoding)|transfer-encoding|date|server|vary|cache-control|(?:anthropic|openai)-version|x-stainless-(?:lang|os|arch|package-version|runtime|runtime-version|retry-count|timeout|async|helper-method))$/;
const VALUE_LENGTH_MAX = 256;
/** A value that differs from the remembered one replaces it once in so many times: it is copied for that. */
const DIFFERING_MAX = 16;

/** A name whose values may repeat. */
export interface Remembering {
  /** A value that it had, if its values repeat. */
  remembered: string | undefined;
  /** How often its value has differed from the remembered one. */
  differing: number;
}

/** A field's name as sent, and its rule for the message's framing. A remembered value is not cut out of its head again. */
interface FieldName extends Remembering {
  readonly raw: string;
  readonly rule: Rule | undefined;
  readonly repeats: boolean;
}

type Rule = (framing: Framing, value: string, fault: Fault) => void;

/** The end of a head, as bytes: a text to search for would become bytes at each search. */
export const HEAD_END = Buffer.from("\r\n\r\n");
/** Line ends with only one of the two bytes. */
export const BARE_LINE_END = /\r(?!\n)|(?<!\r)\n/;
/** Bytes that no line may hold, other than those of line ends. */
export const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;
/** Bare line ends and control bytes: not allowed in a header, a chunk line or a trailer. */
export const MALFORMED = new RegExp(`${CONTROL.source}|${BARE_LINE_END.source}`);
const LINE_END = /[\r\n]/;

/** Framing and connection settings from a message's header fields. */
export class Framing {
  length: number | undefined;
  /** `encoded`: there is a `Transfer-Encoding`; `chunked`: it is exactly that. */
  encoded = false;
  chunked = false;
  close = false;
  /** The client asks for another protocol, and `Connection` confirms it. */
  switching = false;
  webSocket = false;
  /** The client sends the body only after a 100. */
  expects = false;
}

/** Creates the error that a reader throws for a malformed message. */
export type Fault = (why: string) => Error;

/** Lines of a head whose names are expected again at the same place. */
const EXPECTED_MAX = 64;

/** Reads the header lines of the messages of one side. */
export class FieldReader {
  readonly #fault: Fault;
  /** The two names that the last heads had in each line: most heads are from the same few programs. */
  readonly #expected: FieldName[] = [];
  readonly #expectedElse: FieldName[] = [];
  readonly #names = new Map<string, FieldName>();

  /** @param fault - creates the error to throw if a line is not a field or a length is ambiguous. */
  constructor(fault: Fault) {
    this.#fault = fault;
  }

  /**
   * Reads the header lines of `text` from `start` on into `headers`, as raw pairs. `text` is Latin-1 and holds no CONTROL byte.
   *
   * @throws the error of `fault`, also for a bare line end.
   */
  read(text: string, start: number, headers: string[]): Framing {
    const framing = new Framing();
    for (let at = start; at <= text.length; ) {
      const name = this.#nameAt(text, at, headers.length / 2);
      const from = at + name.raw.length + 1;
      let value = rememberedAt(text, from, name);
      if (value !== undefined) at = from + value.length + 3;
      else {
        let end = text.indexOf("\r\n", from);
        if (end < 0) end = text.length;
        value = trimmed(text, from, end);
        if (LINE_END.test(value)) throw this.#fault("its head holds control bytes");
        if (name.repeats) learn(name, value);
        at = end + 2;
      }
      headers.push(name.raw, value);
      name.rule?.(framing, value, this.#fault);
    }
    return framing;
  }

  #nameAt(text: string, at: number, line: number): FieldName {
    const expected = this.#expected[line];
    if (expected !== undefined && isAt(text, at, expected)) return expected;
    const other = this.#expectedElse[line];
    if (other !== undefined && isAt(text, at, other)) return other;
    const colon = text.indexOf(":", at);
    const end = text.indexOf("\r\n", at);
    if (colon <= at || (end >= 0 && colon > end)) throw this.#fault("a header field has no name");
    const name = this.#nameOf(text.slice(at, colon));
    if (line >= EXPECTED_MAX || name.raw.length > NAME_LENGTH_MAX) return name;
    if (expected !== undefined) this.#expectedElse[line] = expected;
    this.#expected[line] = name;
    return name;
  }

  /** A checked name. Names are few and repeat, so results are cached. */
  #nameOf(raw: string): FieldName {
    const known = this.#names.get(raw);
    if (known !== undefined) return known;
    if (!FIELD_NAME.test(raw)) throw this.#fault("a header field has no name that could be one");
    const lower = raw.toLowerCase();
    const rule = Object.hasOwn(RULES, lower) ? RULES[lower] : undefined;
    const own = copyOf(raw);
    const name = { raw: own, rule, repeats: repeats(lower), remembered: undefined, differing: 0 };
    if (this.#names.size < NAMES_MAX && own.length <= NAME_LENGTH_MAX) this.#names.set(own, name);
    return name;
  }
}

function isAt(text: string, at: number, { raw }: FieldName): boolean {
  return text.charCodeAt(at + raw.length) === COLON && text.startsWith(raw, at);
}

/** Whether the values of a name repeat and are never credentials. @param lower - in lower case. */
export const repeats = (lower: string): boolean => REPEATING.test(lower);

/** The remembered value of a name if the line whose colon is before `from` has it, after one space as nearly all lines do. */
function rememberedAt(text: string, from: number, { remembered }: FieldName): string | undefined {
  if (remembered === undefined || text.charCodeAt(from) !== SPACE || !text.startsWith(remembered, from + 1))
    return undefined;
  const end = from + 1 + remembered.length;
  return end === text.length || text.startsWith("\r\n", end) ? remembered : undefined;
}

/** Remembers a copy of a value, now and then. Only for names whose values repeat. */
export function learn(name: Remembering, value: string): void {
  const isDue = name.differing % DIFFERING_MAX === 0;
  name.differing++;
  if (isDue && value !== "" && value.length <= VALUE_LENGTH_MAX) name.remembered = copyOf(value);
}

const SPACE = 0x20;
const COLON = 0x3a;

/** Whether a line is a valid trailer. */
export function isField(line: string): boolean {
  return !MALFORMED.test(line) && FIELD_NAME.test(line.slice(0, Math.max(0, line.indexOf(":"))));
}

const CLOSE = /(?:^|,)\s*close\s*(?:,|$)/i;
const SWITCHING = /(?:^|,)\s*upgrade\s*(?:,|$)/i;

/** By name in lower case. */
const RULES: Readonly<Record<string, Rule>> = {
  "content-length": (framing, value, fault) => {
    const length = readLength(value);
    if (length === undefined || (framing.length !== undefined && framing.length !== length))
      throw fault("its Content-Length cannot be read");
    framing.length = length;
  },
  "transfer-encoding": (framing, value) => {
    framing.chunked = !framing.encoded && value.toLowerCase() === "chunked";
    framing.encoded = true;
  },
  connection: (framing, value) => {
    if (value === "keep-alive") return;
    framing.close ||= CLOSE.test(value);
    framing.switching ||= SWITCHING.test(value);
  },
  upgrade: (framing, value) => {
    framing.webSocket = /^websocket$/i.test(value);
  },
  expect: (framing, value) => {
    framing.expects = /^100-continue$/i.test(value);
  },
};

function trimmed(text: string, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}
