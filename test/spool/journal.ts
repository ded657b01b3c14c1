import { createLog } from "../../src/log.ts";
import { FRAME_HEAD_BYTES, frameId, frameKind } from "../../src/spool/codec.ts";
import { type BeginMeta, FRAME, type Position } from "../../src/spool/frame.ts";
import { SpoolReader } from "../../src/spool/reader.ts";
import { openSpool, type SpoolOptions } from "../../src/spool/writer.ts";

export const silent = createLog({ level: "error", format: "json", write: () => {} });

export function spoolIn(directory: string, options: Partial<SpoolOptions> = {}) {
  return openSpool({ directory, sync: "second", log: silent, ...options });
}

interface ReadFrame {
  readonly kind: number;
  readonly id: string;
  readonly payload: Buffer;
  readonly at: Position;
}

/** Every frame that a reader finds, but those that only say which run a segment belongs to. */
export function readAll(directory: string, from?: Position): ReadFrame[] {
  const reader = new SpoolReader({ directory, ...(from && { from }) });
  const frames = drain(reader);
  reader.close();
  return frames.filter(({ kind }) => kind !== FRAME.start);
}

export function drain(reader: SpoolReader): ReadFrame[] {
  const frames: ReadFrame[] = [];
  const sink = (buffer: Buffer, at: number, end: number, segment: number, offset: number) =>
    void frames.push({
      kind: frameKind(buffer, at),
      id: frameId(buffer, at),
      payload: Buffer.from(buffer.subarray(at + FRAME_HEAD_BYTES, end)),
      at: { segment, offset },
    });
  while (reader.read(sink, 1 << 20) > 0);
  return frames;
}

export function begin(changes: Partial<BeginMeta> = {}): BeginMeta {
  return {
    time: 1_790_000_000_000.5,
    method: "POST",
    path: "/v1/chat/completions",
    target: "https://api.example.com",
    provider: "CUSTOM",
    organization: "org-1",
    keyId: "key-1",
    keyName: "first",
    authHash: "ab".repeat(32),
    headers: ["Content-Type", "application/json"],
    gateway: [],
    omitRequest: false,
    omitResponse: false,
    ...changes,
  };
}
