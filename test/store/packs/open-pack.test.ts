import { expect, test } from "bun:test";
import fc from "fast-check";
import { decompressed } from "../../../src/store/packs/gather.ts";
import { OpenPack } from "../../../src/store/packs/open-pack.ts";
import { assertProperty } from "../../chance.ts";

const anyStep = fc.oneof(
  fc.record({ append: fc.oneof(fc.nat(300), fc.nat(40_000)), byte: fc.nat(255), isRandom: fc.boolean() }),
  fc.constant("written" as const),
);

test("a pack that grows reads as its content at each commit, and once it is full", async () => {
  await assertProperty(
    fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
      const pack = new OpenPack(1, Buffer.alloc(131_072));
      let content = Buffer.alloc(0);
      for (const step of steps) {
        if (step === "written") {
          if (pack.length > 0) expect(Buffer.from(decompressed(pack.grown())!).equals(content)).toBe(true);
          continue;
        }
        const bytes = Buffer.alloc(step.append, step.byte);
        if (step.isRandom) for (let at = 0; at < bytes.length; at++) bytes[at] = (at * at * 31 + step.byte) >> 3;
        if (!pack.hasRoomFor(bytes.length)) break;
        expect(pack.append(bytes)).toBe(content.length);
        content = Buffer.concat([content, bytes]);
      }
      expect(pack.length).toBe(content.length);
      expect(Buffer.from(decompressed(pack.full())!).equals(content)).toBe(true);
    }),
  );
});

test("what stays as it is in a growing pack is not compressed again", () => {
  const pack = new OpenPack(1, Buffer.alloc(131_072));
  pack.append(Buffer.alloc(20_000, "a first text. "));
  const first = pack.grown();
  pack.append(Buffer.from("and a short one"));
  const second = pack.grown();
  expect(Buffer.from(second.subarray(0, first.length)).equals(Buffer.from(first))).toBe(true);
  expect(second.length).toBeGreaterThan(first.length);
});
