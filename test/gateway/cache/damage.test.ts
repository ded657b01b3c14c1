import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { ResponseStore } from "../../../src/gateway/cache/response-store.ts";
import { assertProperty } from "../../chance.ts";
import { temporaryDirectory } from "../../directory.ts";
import { keptLog } from "../../plugin-host/folder.ts";

const KEY = "a".repeat(64);
const origin = { organizationId: "org-1", requestId: "r-1", model: undefined, properties: {} };

/** A stored response in a file, and a function that opens it again. */
async function stored(directory: string, chunks: readonly Buffer[]) {
  const { log, lines } = keptLog();
  const open = async () => {
    const store = new ResponseStore({ directory, log, bytesMax: 1e9, entriesMax: 10 });
    await store.loaded;
    return store;
  };
  const store = await open();
  const response = { status: 200, reason: "OK", headers: ["A", "b"], chunks };
  store.put({ key: KEY, place: 0, keepMs: 60_000 }, response, origin);
  await store.close();
  const name = readdirSync(directory, { recursive: true, encoding: "utf8" }).find((each) => each.includes("/"))!;
  return { open, path: join(directory, name), lines };
}

for (const [what, chunks] of [
  ["a small answer", ["one", "two", "", "three"].map((text) => Buffer.from(text))],
  ["a large answer", Array.from({ length: 6 }, (_, i) => Buffer.alloc(100_000, i))],
] as const)
  test(`${what}, with any bit flipped, never passes on a wrong piece, and is let go of`, async () => {
    using directory = temporaryDirectory();
    const { open, path, lines } = await stored(directory.path, chunks);
    const sound = readFileSync(path);
    await assertProperty(
      fc.asyncProperty(fc.nat(sound.byteLength * 8 - 1), async (bit) => {
        const file = Buffer.from(sound);
        file[bit >> 3]! ^= 1 << (bit & 7);
        writeFileSync(path, file);
        const store = await open();
        const source = await store.open(store.bucket(KEY)[0]!);
        const passed: Buffer[] = [];
        try {
          for (const length of source?.head.lengths ?? [])
            passed.push(Buffer.from(source!.takeNow(length) ?? (await source!.take(length))));
        } catch {
          // It breaks off.
        }
        await source?.close();
        expect(passed).toEqual(chunks.slice(0, passed.length).map((chunk) => Buffer.from(chunk)));
        expect(passed.length).toBeLessThan(chunks.length);
        expect(source?.head.headers ?? ["A", "b"]).toEqual(["A", "b"]);
        // A small one is looked at whole before anything of it is passed on.
        if (what === "a small answer") expect(source).toBeUndefined();
        expect(store.bucket(KEY)).toEqual([]);
        await store.close();
        expect(existsSync(path)).toBe(false);
        expect(lines.splice(0).join("")).toContain("a stored response cannot be read and is dropped");
      }),
      { numRuns: 60 },
    );
  });
