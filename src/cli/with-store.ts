import { mkdirSync } from "node:fs";
import type { Config } from "../config.ts";
import { migrate } from "../store/migrate.ts";
import { type Database, openStore } from "../store/store.ts";

/** Opens the records' database; works beside a running service, and before the first start. */
export async function withRecords<T>(config: Config, work: (records: Database) => Promise<T>): Promise<T> {
  mkdirSync(config.data_dir, { recursive: true, mode: 0o700 });
  const store = await openStore(config, "write");
  try {
    await migrate(store);
    return await work(store.records);
  } finally {
    await store.close();
  }
}
