import { engineReader } from "../../../src/engine/reader.ts";
import { startSqld } from "../../e2e/sqld.ts";
import { openWorld } from "../../filter/world.ts";
import type { TestedEngine } from "../tested-engine.ts";

/** A libSQL server: the same SQL, but another driver, other types and one database instead of two. */
export const LIBSQL_SERVER: TestedEngine = {
  name: "a libSQL server",
  async open(exchanges, tags) {
    const server = await startSqld();
    const world = await openWorld(exchanges, tags, { database_url: server.url });
    return {
      ...engineReader(world.reader),
      async [Symbol.asyncDispose]() {
        await world[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  },
};
