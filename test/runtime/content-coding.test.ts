import { describe, expect, test } from "bun:test";
import * as zlib from "node:zlib";
import fc from "fast-check";
import { decodeBody } from "../../src/runtime/content-coding.ts";
import { assertProperty } from "../chance.ts";

const CODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  "x-gzip": (bytes) => zlib.gzipSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: (bytes) => zlib.zstdCompressSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
};
const MIB = 1024 * 1024;
/** Hardly compressible, so that a cut in the middle leaves about half. */
const NOISE = Buffer.from(Array.from({ length: 20_000 }, (_, i) => Math.sin(i).toString(36)).join(" "));

describe.each(Object.keys(CODERS))("%s", (coding) => {
  const encode = CODERS[coding]!;

  test("gives back any bytes", async () => {
    await assertProperty(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), async (bytes) => {
        const decoded = await decodeBody(encode(Buffer.from(bytes)), coding.toUpperCase(), MIB);
        expect(decoded.incomplete).toBe(false);
        expect(decoded.bytes.equals(Buffer.from(bytes))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test("gives the beginning of a body that was cut off", async () => {
    const coded = encode(NOISE);
    const { bytes, incomplete } = await decodeBody(coded.subarray(0, coded.byteLength >> 1), coding, MIB);
    expect(incomplete).toBe(true);
    expect(bytes.byteLength).toBeGreaterThan(NOISE.byteLength / 10);
    expect(NOISE.subarray(0, bytes.byteLength).equals(bytes)).toBe(true);
  });

  test("says that something is missing where nothing but the end of the coding is", async () => {
    const coded = encode(NOISE);
    for (const cut of [1, 2, 4, 8]) {
      const { bytes, incomplete } = await decodeBody(coded.subarray(0, coded.byteLength - cut), coding, MIB);
      expect(incomplete).toBe(true);
      expect(NOISE.subarray(0, bytes.byteLength).equals(bytes)).toBe(true);
    }
  });

  test("never throws on damage, and never gives more than the limit", async () => {
    await assertProperty(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const coded = Buffer.from(encode(NOISE));
        coded[at % coded.byteLength]! ^= flip;
        expect((await decodeBody(coded, coding, 10_000)).bytes.byteLength).toBeLessThanOrEqual(10_000);
      }),
      { numRuns: 20 },
    );
  });

  test("stops a bomb at the limit and says that something is missing", async () => {
    const bomb = encode(Buffer.alloc(50 * MIB, "a"));
    const { bytes, incomplete } = await decodeBody(bomb, coding, 100_000);
    expect(bytes.byteLength).toBe(100_000);
    expect(incomplete).toBe(true);
  });
});

// Bare deflate has no head that could be missed.
test.each(Object.keys(CODERS).filter((coding) => coding !== "deflate"))(
  "a body that only claims to be %s is kept as it came",
  async (coding) => {
    const bytes = Buffer.from('{"plain":true}');
    expect(await decodeBody(bytes, coding, MIB)).toEqual({ bytes, incomplete: true });
  },
);

test("bare deflate without the zlib header is read as deflate", async () => {
  const { bytes } = await decodeBody(zlib.deflateRawSync(NOISE), "deflate", MIB);
  expect(bytes.equals(NOISE)).toBe(true);
});

test("several codings are undone from the last to the first", async () => {
  const coded = zlib.brotliCompressSync(zlib.gzipSync("hello"));
  expect((await decodeBody(coded, "gzip, identity,br", MIB)).bytes.toString()).toBe("hello");
});

test("zstd in several frames, one of them to be skipped, is whole, and is not without the last byte", async () => {
  const skipped = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
  const stream = zlib.zstdCompressSync(Buffer.alloc(300_000, "ab"), {
    params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 },
  });
  const coded = Buffer.concat([skipped, stream]);
  expect((await decodeBody(coded, "zstd", MIB)).incomplete).toBe(false);
  for (const cut of [1, 4, 5]) {
    expect((await decodeBody(coded.subarray(0, -cut), "zstd", MIB)).incomplete).toBe(true);
  }
});

test.each([
  ["a line end", Buffer.from("\n"), ""],
  ["text", Buffer.from("</html> and more"), ""],
  ["bytes that look like a member", Buffer.from([0x1f, 0x8b, 8, 31, 0, 0, 0, 0, 0, 0, 1, 0, 7]), ""],
  ["a member that is cut off", zlib.gzipSync("again").subarray(0, -3), "again"],
])("gzip is decoded to its end when it is followed by %s", async (_name, rest, more) => {
  for (const text of [Buffer.from("hello"), NOISE, Buffer.concat([NOISE, Buffer.alloc(300_000, "ab")])]) {
    const { bytes, incomplete } = await decodeBody(Buffer.concat([zlib.gzipSync(text), rest]), "gzip", MIB);
    expect(bytes.equals(Buffer.concat([text, Buffer.from(more)]))).toBe(true);
    expect(incomplete).toBe(true);
  }
});

test("gzip members are decoded, whatever their heads hold, when something follows them", async () => {
  const head = Buffer.from("\x1f\x8b\x08\x1e\0\0\0\0\0\x03\x02\0xyname\0comment\0", "latin1");
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(zlib.crc32(head) & 0xffff);
  const member = Buffer.concat([head, checksum, zlib.gzipSync("hello").subarray(10)]);
  const coded = Buffer.concat([member, zlib.gzipSync(", again"), Buffer.from("and more")]);
  expect((await decodeBody(coded, "gzip", MIB)).bytes.toString()).toBe("hello, again");
});

test("a bomb inside a bomb is stopped too", async () => {
  const inner = zlib.gzipSync(Buffer.alloc(200 * MIB, 0));
  const { bytes, incomplete } = await decodeBody(zlib.gzipSync(inner), "gzip, gzip", MIB);
  expect(bytes.byteLength).toBeLessThanOrEqual(MIB);
  expect(incomplete).toBe(true);
});

test.each(["compress", "made-up", "gzip, made-up"])("a body in the coding %s is kept as it came", async (coding) => {
  const { bytes, incomplete } = await decodeBody(Buffer.from("as it came"), coding, MIB);
  expect(bytes.toString()).toBe("as it came");
  expect(incomplete).toBe(true);
});

test.each([undefined, "", "identity", " , "])("no coding (%p) changes nothing", async (coding) => {
  const { bytes, incomplete } = await decodeBody(Buffer.from("plain"), coding, MIB);
  expect([bytes.toString(), incomplete]).toEqual(["plain", false]);
});
