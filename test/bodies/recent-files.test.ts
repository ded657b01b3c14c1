import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { RecentFiles } from "../../src/bodies/recent-files.ts";
import { chance } from "../chance.ts";

const random = chance("recent files");
const MEGABYTE = 1024 * 1024;

function decoder() {
  const files = new RecentFiles();
  const decode = (base64: string, before = "", after = "") => {
    return files.decode(Buffer.from(before + base64 + after, "latin1"), before.length, before.length + base64.length);
  };
  return { files, decode };
}

test("a file that is sent again is the same one, wherever it stands", () => {
  const { decode } = decoder();
  const file = random.bytes(40_000);
  const other = Buffer.from([...file.subarray(0, -1), file.at(-1)! ^ 1]);
  const first = decode(file.toString("base64"), '{"a":"', '"}')!;
  expect(Buffer.compare(first.bytes, file)).toBe(0);
  expect(first.id).toBe(createHash("sha256").update(file).digest("hex"));
  expect(decode(file.toString("base64"), "[", "]")).toBe(first);
  const second = decode(other.toString("base64"))!;
  expect(Buffer.compare(second.bytes, other)).toBe(0);
  expect(second.id).not.toBe(first.id);
  expect(decode(file.toString("base64"))).toBe(first);
  // The same file, written in another way: its bytes do not say how.
  const unpadded = decode(file.toString("base64url"))!;
  expect([unpadded.id, unpadded.isCanonical, first.isCanonical]).toEqual([first.id, false, true]);
});

test.each([
  ["++++AAAA", true],
  ["----AAAA", false],
  ["////AAAA", true],
  ["____AAAA", false],
  ["AAAAAA==", true],
  ["AAAAAB==", false],
  ["AAAAAA", false],
  ["AAAAAAA=", true],
])("whether the file of %p determines how it is written: %p", (base64, isCanonical) => {
  expect(decoder().decode(base64)!.isCanonical).toBe(isCanonical);
});

test("a text that is not base64 is not a file", () => {
  const { decode, files } = decoder();
  const base64 = random.bytes(3_000).toString("base64");
  for (const text of ["", `${base64}A`, `${base64} `, base64.replace(/.$/, "*"), base64.replace(/./, "é"), "===="])
    expect(decode(text)).toBeUndefined();
  expect(files.size).toBe(0);
});

test("long files are whole, wherever characters stand that are not base64", () => {
  const { decode } = decoder();
  for (const length of [49_149, 49_150, 49_151, 49_152, 49_153, 98_304, 98_306, 150_000]) {
    const file = random.bytes(length);
    const base64 = file.toString("base64");
    const found = decode(base64)!;
    expect(Buffer.compare(found.bytes, file)).toBe(0);
    expect([found.id, found.isCanonical]).toEqual([createHash("sha256").update(file).digest("hex"), true]);
    for (const at of [0, 30_000, 65_534, 65_535, 65_536, 65_600, base64.length - 5]) {
      if (at > base64.length - 5) continue;
      for (const wrong of ["*", "=", "\n", "\xe9", '"']) {
        expect(decode(base64.slice(0, at) + wrong + base64.slice(at + 1))).toBeUndefined();
        expect(decode(base64.slice(0, at) + wrong.repeat(4) + base64.slice(at))).toBeUndefined();
      }
    }
  }
});

test("the last eight files are remembered, as far as they fit in 16 MB", () => {
  const { decode, files } = decoder();
  const small = Array.from({ length: 9 }, () => random.bytes(300).toString("base64"));
  const known = small.map((base64) => decode(base64));
  expect(files.size).toBe(8);
  expect(decode(small[1]!)).toBe(known[1]!);
  expect(decode(small[0]!)).not.toBe(known[0]!);
  const large = Array.from({ length: 3 }, () => random.bytes(4 * MEGABYTE).toString("base64"));
  const [one] = large.map((base64) => decode(base64));
  expect(files.size).toBe(1);
  expect(decode(large[0]!)).not.toBe(one!);
  // Too long to be remembered, and nothing is forgotten for it.
  const huge = random.bytes(6 * MEGABYTE + 3).toString("base64");
  expect(decode(huge)).not.toBe(decode(huge)!);
  expect(files.size).toBe(1);
});

test("files that are not seen again are forgotten", () => {
  const { decode, files } = decoder();
  const [one, other] = [random.bytes(300).toString("base64"), random.bytes(300).toString("base64")];
  decode(one);
  const again = decode(other)!;
  files.forget(again.seenAt);
  expect(files.size).toBe(1);
  files.forget(again.seenAt + 1);
  expect(files.size).toBe(0);
});
