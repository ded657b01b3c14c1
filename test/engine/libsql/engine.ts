import { engineReader } from "../../../src/engine/reader.ts";
import { openWorld } from "../../filter/world.ts";
import type { TestedEngine } from "../tested-engine.ts";

/** The embedded database, in files of its own for each set of records. */
export const LIBSQL: TestedEngine = {
  name: "libSQL",
  async open(exchanges, tags) {
    const world = await openWorld(exchanges, tags);
    return { ...engineReader(world.reader), [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
  },
};
