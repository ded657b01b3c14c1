import { startSqld } from "../e2e/sqld.ts";
import { openApi, type TestApi } from "./open.ts";

type DatabaseKind = "local files" | "a libSQL server";

/** The databases that tables of queries run on: the same SQL, but another driver, other types and one file instead of two. */
export const DATABASES: readonly DatabaseKind[] = ["local files", "a libSQL server"];

/** An API on a database of that kind, of its own. */
export async function openApiOn(kind: DatabaseKind): Promise<TestApi> {
  if (kind === "local files") return openApi();
  const server = await startSqld();
  const api = await openApi({ database_url: server.url });
  return {
    ...api,
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
