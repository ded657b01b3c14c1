import { once } from "node:events";
import { open, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { ExportFailure, usageFailure } from "./failure.ts";

export interface Output {
  append(bytes: string | Uint8Array): Promise<void>;
  /** Makes what was appended before this call survive a power cut. @returns its length in bytes. */
  sync(): Promise<number>;
  close(): Promise<void>;
}

/** Who read stdout has gone, as `head` does: nobody is left to tell. */
export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}

/**
 * Opens a file to append to.
 *
 * @param length - bytes of it that stay, what is behind them is cut off; undefined makes it anew.
 * @throws ExportFailure of kind `usage` when it cannot be opened or is shorter than `length`.
 */
export async function openFile(path: string, length: number | undefined): Promise<Output> {
  const file = await open(path, length === undefined ? "w" : "r+").catch((error: Error) => {
    throw usageFailure(`${path} cannot be written: ${error.message}`);
  });
  let position = length ?? 0;
  if (length !== undefined) {
    const { size } = await file.stat();
    if (size < length) {
      await file.close();
      throw usageFailure(`${path} is shorter than its checkpoint says; start over with --force`);
    }
    await file.truncate(length);
  }
  return {
    async append(bytes) {
      const chunk = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
      try {
        for (let done = 0; done < chunk.byteLength; ) {
          const { bytesWritten } = await file.write(chunk, done, chunk.byteLength - done, position);
          done += bytesWritten;
          position += bytesWritten;
        }
      } catch (cause) {
        throw notWritten(path, cause);
      }
    },
    async sync() {
      const length = position; // more may be appended meanwhile
      try {
        await file.datasync();
      } catch (cause) {
        throw notWritten(path, cause);
      }
      return length;
    },
    close: () => file.close(),
  };
}

/**
 * Appends to a stream, at the speed of whoever reads it.
 *
 * @param signal - ends the wait for a reader; what that one has not taken is dropped.
 */
export function openStream(stream: Writable, signal: AbortSignal): Output {
  let length = 0;
  let failure: Error | undefined;
  const onError = (error: Error) => {
    failure = error;
  };
  stream.on("error", onError);
  const check = () => {
    if (failure === undefined) return;
    if ((failure as { code?: unknown }).code === "EPIPE") throw new ReaderGone(failure.message);
    throw new ExportFailure("failed", `stdout cannot be written: ${failure.message}`, { cause: failure });
  };
  return {
    async append(bytes) {
      check();
      if (bytes.length === 0) return;
      const chunk = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
      length += chunk.byteLength;
      if (!stream.write(chunk)) await once(stream, "drain", { signal }).catch(onError);
      check();
    },
    async sync() {
      return length;
    },
    async close() {
      if (signal.aborted) stream.destroy();
      else stream.off("error", onError);
    },
  };
}

/** @throws ExportFailure of kind `usage` when no file can be at `path`, before anything is asked or written. */
export async function checkPlace(path: string): Promise<void> {
  const folder = dirname(path);
  if (!(await exists(folder))) throw usageFailure(`${path} cannot be written: there is no folder ${folder}`);
  if (!(await exists(path))) return;
  const found = await stat(path);
  if (found.isDirectory()) throw usageFailure(`${path} is a folder`);
  // A pipe or a device has no end to cut off, and nothing of an export belongs beside it.
  if (!found.isFile()) throw usageFailure(`${path} is no file; give --output - and send stdout there`);
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return false;
    throw usageFailure(`${path} cannot be looked at: ${(error as Error).message}`);
  }
}

export async function remove(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** A full disk, most of the time: the checkpoint stands, and the export can go on once there is room. */
export function notWritten(path: string, cause: unknown): ExportFailure {
  return new ExportFailure("failed", `${path} cannot be written: ${(cause as Error).message}`, { cause });
}
