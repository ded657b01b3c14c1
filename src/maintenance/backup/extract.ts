import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { Step } from "./backup.ts";
import { type ByteSink, type Copied, readPieces, writeFile } from "./file-copy.ts";
import { isInnerPath, MANIFEST, type Manifest, readManifest } from "./manifest.ts";
import { RestoreError } from "./restore-error.ts";
import { readTar } from "./tar-archive.ts";

/** Larger than any manifest. */
const MANIFEST_BYTES_MAX = 64 * 1024 * 1024;

/** A file of a backup, at any location. */
interface Member {
  readonly name: string;
  readonly bytes: number;
  readonly copy: (sink: ByteSink) => Promise<Copied>;
}

/**
 * Unpacks a backup into an empty directory and compares every file with its checksum.
 *
 * @throws RestoreError if it is not a complete backup.
 */
export async function extract(source: string, folder: string, onStep: (step: Step) => void): Promise<Manifest> {
  const found = fs.statSync(source, { throwIfNoEntry: false });
  if (found === undefined) throw new RestoreError(`${source} does not exist`);
  const copied: Record<string, Copied> = {};
  let manifest: Manifest | undefined;
  for await (const member of found.isDirectory() ? inDirectory(source) : inTar(source)) {
    const { name, bytes } = member;
    if (!isInnerPath(name)) throw new RestoreError(`${source} contains a file with the name ${JSON.stringify(name)}`);
    if (name === MANIFEST) {
      if (manifest !== undefined) throw new RestoreError(`${source} holds ${MANIFEST} twice`);
      manifest = await readMember(member, source);
      continue;
    }
    if (copied[name] !== undefined) throw new RestoreError(`${source} holds ${name} twice`);
    onStep({ name, done: 0, total: bytes });
    const path = join(folder, name);
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    copied[name] = await writeFile(path, member.copy).catch((cause: NodeJS.ErrnoException) => {
      // The system's own failures, such as a full disk, have a code.
      throw cause.code === undefined ? new RestoreError(`${name} cannot be read: ${cause.message}`, cause) : cause;
    });
  }
  if (manifest === undefined) throw new RestoreError(`${source} has no ${MANIFEST}: it is not a complete backup`);
  compare(manifest, copied);
  return manifest;
}

function compare(manifest: Manifest, copied: Readonly<Record<string, Copied>>): void {
  for (const [name, { bytes, sha256 }] of Object.entries(manifest.files)) {
    const copy = copied[name];
    if (copy === undefined) throw new RestoreError(`${name} is missing in the backup`);
    if (copy.bytes !== bytes || copy.sha256 !== sha256) throw new RestoreError(`${name} has changed since the backup`);
  }
  const stranger = Object.keys(copied).find((name) => manifest.files[name] === undefined);
  if (stranger !== undefined) throw new RestoreError(`${stranger} is not part of the backup that contains it`);
  const lost = Object.keys(manifest.databases).find((name) => manifest.files[name] === undefined);
  if (lost !== undefined) throw new RestoreError(`${lost} is missing in the backup`);
}

async function readMember({ bytes, copy }: Member, source: string): Promise<Manifest> {
  if (bytes > MANIFEST_BYTES_MAX) throw new RestoreError(`${source} has a ${MANIFEST} of ${bytes} bytes`);
  const pieces: Buffer[] = [];
  await copy((piece) => void pieces.push(Buffer.from(piece)));
  try {
    return readManifest(Buffer.concat(pieces).toString("utf8"));
  } catch (cause) {
    throw new RestoreError(`${MANIFEST} cannot be read: ${(cause as Error).message}`, cause);
  }
}

async function* inDirectory(source: string): AsyncGenerator<Member> {
  for (const entry of fs.readdirSync(source, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(source, entry);
    const found = fs.lstatSync(path);
    if (found.isDirectory()) continue;
    if (!found.isFile()) throw notPlain(source, entry, found.isSymbolicLink() ? "a symbolic link" : "not a plain file");
    const copy = async (sink: ByteSink) => {
      const fd = fs.openSync(path, "r");
      try {
        return await readPieces(fd, found.size, sink);
      } finally {
        fs.closeSync(fd);
      }
    };
    yield { name: entry.replaceAll("\\", "/"), bytes: found.size, copy };
  }
}

async function* inTar(source: string): AsyncGenerator<Member> {
  try {
    yield* readTar(source, (name, kind) => {
      throw notPlain(source, name, KINDS[kind] ?? "not a plain file");
    });
  } catch (cause) {
    if (cause instanceof RestoreError || (cause as NodeJS.ErrnoException).code !== undefined) throw cause;
    const why = `it is not a tar archive, or a damaged one: ${(cause as Error).message}`;
    throw new RestoreError(`${source} cannot be read: ${why}`, cause);
  }
}

const KINDS: Readonly<Record<string, string>> = {
  link: "a hard link",
  symlink: "a symbolic link",
  "character-device": "a device",
  "block-device": "a device",
  fifo: "a named pipe",
};

/** Additional files in a backup are not skipped: they may be an attempt to replace one. */
function notPlain(source: string, name: string, kind: string): RestoreError {
  return new RestoreError(
    `${source} holds ${JSON.stringify(name)}, which is ${kind}: a backup contains only plain files`,
  );
}
