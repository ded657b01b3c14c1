import { once } from "node:events";
import { open, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { ExportFailure, usageFailure } from "../api-client/failure.ts";
import { fileProblem } from "../file-problem.ts";

export interface Output {
  append(bytes: string | Uint8Array): Promise<void>;
  /** Syncs everything appended before this call. @returns its length in bytes. */
  sync(): Promise<number>;
  close(): Promise<void>;
}

/** The reader of stdout has exited, as `head` does: no message is needed. */
export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}

/**
 * Opens a file to append to.
 *
 * @param length - bytes to keep, the rest is cut off; undefined creates a new file.
 * @throws ExportFailure of kind `usage` if it cannot be opened or is shorter than `length`.
 */
export async function openFile(path: string, length: number | undefined): Promise<Output> {
  const file = await open(path, length === undefined ? "w" : "r+").catch((error: Error) => {
    throw usageFailure(`${path} cannot be written: ${fileProblem(error)}`);
  });
  let position = length ?? 0;
  if (length !== undefined) {
    const { size } = await file.stat();
    if (size < length) {
      await file.close();
      throw usageFailure(`${path} is shorter than in its checkpoint; start over with --force`);
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
 * Appends to a stream, at the speed of its reader.
 *
 * @param signal - ends the wait for a reader; unread data is dropped.
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

/** @throws ExportFailure of kind `usage` if no file can be at `path`, before anything is requested or written. */
export async function checkPlace(path: string): Promise<void> {
  const folder = dirname(path);
  if (!(await exists(folder))) throw usageFailure(`${path} cannot be written: there is no folder ${folder}`);
  if (!(await exists(path))) return;
  const found = await stat(path);
  if (found.isDirectory()) throw usageFailure(`${path} is a folder`);
  // A pipe or a device cannot be truncated, and has no place for a checkpoint.
  if (!found.isFile()) throw usageFailure(`${path} is not a file; use --output - and redirect stdout there`);
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return false;
    throw usageFailure(`${path} cannot be accessed: ${fileProblem(error)}`);
  }
}

export async function remove(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Usually a full disk: the checkpoint is valid, and the export can continue once there is space. */
export function notWritten(path: string, cause: unknown): ExportFailure {
  return new ExportFailure("failed", `${path} cannot be written: ${fileProblem(cause)}`, { cause });
}
