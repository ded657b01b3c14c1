import fc from "fast-check";
import type { Json } from "../../../src/plugin-host/contract.ts";

/** Arbitrary JSON with members and texts that readers look for, so that it comes near to real bodies. */
export const nearJson = (names: readonly string[], words: readonly string[]): fc.Arbitrary<Json> =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(null, true, 0, -1, 1e300, "", ...words),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 6, noNullPrototype: true }),
    ),
  })).value as fc.Arbitrary<Json>;
