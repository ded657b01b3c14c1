import { eventReader } from "../mapping/events/event-reader.ts";
import { eventText } from "../mapping/translate/translate.ts";
import { EXCEPTION, readException } from "../mapping/wire/converse/errors.ts";
import { writeError } from "../mapping/wire/messages/errors.ts";
import type { SentEvent, StreamEvent } from "../plugin-host/contract.ts";

/** Converts Anthropic's events from AWS's frames to server-sent events, and AWS's exceptions to Anthropic's errors. */
export class UnframedEvents {
  readonly #reader = eventReader("aws");

  /** @throws RangeError if a frame is too large. */
  push(bytes: Uint8Array): Buffer {
    return Buffer.from(this.#reader.push(bytes).map(unframed).map(eventText).join(""));
  }
}

function unframed({ name = "", data }: StreamEvent): SentEvent {
  if (typeof data?.type === "string") return { event: data.type, data };
  return EXCEPTION.test(name) ? { event: "error", data: writeError(readException(name, data)) } : { data };
}

/** Ends an event: two line ends in a row. */
const BLANK_LINE = /\r\n\r\n|\n\n|\r\r(?!\n)/g;
/** Maximum characters of an event's end that may have arrived earlier. */
const END_LENGTH_MAX = 3;
/** Usage events are shorter. */
const USAGE_LENGTH_MAX = 64 * 1_024;

/** Removes the usage from a chat stream if the client did not request it. */
export class UsageStripper {
  readonly #decoder = new TextDecoder("utf-8");
  /** The beginning of an incomplete event. */
  #held = "";
  /** The event is too long for usage: it passes unchanged, except that its last characters are held. */
  #passes = false;

  push(bytes: Uint8Array): Buffer {
    return Buffer.from(this.#take(this.#decoder.decode(bytes, { stream: true })));
  }

  end(): Buffer {
    return Buffer.from(this.#take(this.#decoder.decode()) + this.#kept(this.#held));
  }

  #take(text: string): string {
    const all = this.#held + text;
    let taken = "";
    let start = 0;
    for (const { 0: end, index } of all.matchAll(BLANK_LINE)) {
      taken += this.#kept(all.slice(start, index + end.length));
      start = index + end.length;
      this.#passes = false;
    }
    this.#held = all.slice(start);
    this.#passes ||= this.#held.length > USAGE_LENGTH_MAX;
    if (!this.#passes) return taken;
    const open = this.#held;
    this.#held = open.slice(-END_LENGTH_MAX);
    return taken + open.slice(0, -END_LENGTH_MAX);
  }

  #kept(event: string): string {
    const isUsage = !this.#passes && /^data:.*"choices"\s*:\s*\[\s*\]/m.test(event) && event.includes('"usage"');
    return isUsage ? "" : event;
  }
}
