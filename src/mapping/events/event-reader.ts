import type { StreamEvent } from "../../plugin-host/contract.ts";
import { isDamaged, messageBytes, readEventStream } from "./eventstream.ts";
import type { ReadJson } from "./json.ts";
import { readNdjson } from "./ndjson.ts";
import { readSse } from "./sse.ts";

/** How a stream's events are framed. */
export type EventFraming = "sse" | "ndjson" | "aws";

/** An event may be as large as a picture in base64; a larger one is an error. */
const EVENT_BYTES_MAX = 64 * 1_024 * 1_024;

/** Reads the events of a stream as its bytes arrive, with any chunk boundaries. */
export interface EventReader {
  /** The events that these bytes complete. @throws RangeError if an event is too large or damaged. */
  push(bytes: Uint8Array): readonly StreamEvent[];
  /** The remaining events at the stream's end; providers may omit the last line end. */
  end(): readonly StreamEvent[];
}

/** @param read - reads the JSON of an event; `JSON.parse` by default. */
export function eventReader(framing: EventFraming, read?: ReadJson): EventReader {
  if (framing === "aws") return new FrameReader();
  const [ends, readText] = framing === "sse" ? [BLANK_LINE, readSse] : [LINE_END, readNdjson];
  return new TextReader(ends, (text) => readText(text, read));
}

/** The end of a server-sent event: two consecutive line ends, in any of their forms. */
const BLANK_LINE = /\r\n\r\n|\n\n|\r\r(?!\n)/g;
const LINE_END = /\n/g;
/** Maximum characters of an event's end that may be in earlier bytes. */
const END_LENGTH_MAX = 3;

class TextReader implements EventReader {
  readonly #ends: RegExp;
  readonly #read: (text: string) => StreamEvent[];
  readonly #decoder = new TextDecoder("utf-8");
  /** Text of the incomplete event, in pieces, because joining them at each chunk would be quadratic. */
  #pieces: string[] = [];
  #length = 0;
  /** The last characters of the pieces, to detect an end that is split between chunks. */
  #tail = "";

  constructor(ends: RegExp, read: (text: string) => StreamEvent[]) {
    this.#ends = ends;
    this.#read = read;
  }

  push(bytes: Uint8Array): readonly StreamEvent[] {
    return this.#take(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): readonly StreamEvent[] {
    const rest = this.#pieces.join("") + this.#decoder.decode();
    this.#pieces = [];
    this.#length = 0;
    return rest === "" ? [] : this.#read(rest);
  }

  #take(text: string): readonly StreamEvent[] {
    const before = this.#tail;
    const looked = before + text;
    let end = -1;
    this.#ends.lastIndex = 0;
    for (let found = this.#ends.exec(looked); found !== null; found = this.#ends.exec(looked))
      end = this.#ends.lastIndex;
    if (end <= before.length) {
      this.#keep(text);
      this.#tail = looked.slice(-END_LENGTH_MAX);
      return [];
    }
    const whole = this.#pieces.join("") + looked.slice(before.length, end);
    this.#pieces = [];
    this.#length = 0;
    this.#keep(looked.slice(end));
    this.#tail = looked.slice(end).slice(-END_LENGTH_MAX);
    return this.#read(whole);
  }

  #keep(text: string): void {
    if (text === "") return;
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#length > EVENT_BYTES_MAX) throw new RangeError("an event of the stream is too large");
  }
}

class FrameReader implements EventReader {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** Bytes that the next frame needs, as far as known. */
  #wanted = 0;

  push(bytes: Uint8Array): readonly StreamEvent[] {
    this.#chunks.push(bytes);
    this.#bytes += bytes.byteLength;
    if (this.#bytes > EVENT_BYTES_MAX) throw new RangeError("an event of the stream is too large");
    if (this.#bytes < this.#wanted) return [];
    const all = Buffer.concat(this.#chunks);
    let end = 0;
    for (let length = messageBytes(all, 0); length !== undefined; length = messageBytes(all, end)) end += length;
    const rest = all.subarray(end);
    if (isDamaged(rest)) throw new RangeError("a frame of the stream is damaged");
    this.#chunks = [rest];
    this.#bytes = rest.byteLength;
    this.#wanted = rest.byteLength >= 4 ? rest.readUInt32BE(0) : 0;
    return end === 0 ? [] : (readEventStream(all.subarray(0, end)) ?? []);
  }

  end(): readonly StreamEvent[] {
    return [];
  }
}
