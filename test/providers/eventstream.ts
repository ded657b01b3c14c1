import { crc32 } from "node:zlib";

/** One message of an AWS event stream: what it is called, and its payload. */
export interface Frame {
  readonly event?: string;
  readonly exception?: string;
  readonly payload: unknown;
}

/** The bytes of an `application/vnd.amazon.eventstream` body. */
export function encodeEventStream(frames: readonly Frame[]): Buffer {
  return Buffer.concat(frames.map(encode));
}

function encode({ event, exception, payload }: Frame): Buffer {
  const names = exception === undefined ? [":event-type", event ?? "chunk"] : [":exception-type", exception];
  const headers = Buffer.concat([
    header(names[0]!, names[1]!),
    header(":message-type", exception === undefined ? "event" : "exception"),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const length = 12 + headers.byteLength + body.byteLength + 4;
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(length, 0);
  prelude.writeUInt32BE(headers.byteLength, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, body]);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(message));
  return Buffer.concat([message, crc]);
}

/** A header of type 7, text. */
function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    Buffer.from(value),
  ]);
}
