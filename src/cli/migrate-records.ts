import { counted } from "../counted.ts";
import {
  type CopiedDay,
  CopyMismatch,
  type CopyOptions,
  copyDay,
  type Day,
} from "../engine/clickhouse/migrate/copy-day.ts";
import { countEnded, daysOf } from "../engine/clickhouse/migrate/days.ts";
import { BATCH, keysBetween, storedRecords } from "../engine/clickhouse/migrate/stored-records.ts";
import { clickhouseOf, layoutOf } from "../engine/clickhouse/open.ts";
import { makeTables } from "../engine/clickhouse/tables.ts";
import { loadFolders, pluginFolders } from "../plugin-host/files/load.ts";
import { buildRegistry, mappingsOf } from "../plugin-host/providers/registry.ts";
import { openStore } from "../store/store.ts";
import type { Run } from "./command.ts";
import { regionConfig } from "./region.ts";
import { CommandError, UsageError } from "./usage-error.ts";

/** A record that changes during the comparison of its batch causes a difference: the day is copied again. */
const TRIES_MAX = 3;

/**
 * Copies the records of libSQL to ClickHouse, day by day, also while the service records to libSQL. A second run resumes an
 * interrupted copy: it skips records that ClickHouse already holds and copies those that changed.
 */
export const migrateRecordsCommand: Run = async (invocation) => {
  const { options, terminal } = invocation;
  const to = options["to"];
  if (to !== "clickhouse") throw new UsageError("migrate records needs --to clickhouse");
  const config = regionConfig(invocation);
  if (config.records_url === "") throw new CommandError("records_url is not set: it names the ClickHouse to copy to");
  const { providers } = buildRegistry(await loadFolders("provider", pluginFolders("provider", config)));
  const store = await openStore(config, "read");
  try {
    const client = clickhouseOf(config);
    const layout = layoutOf(config);
    const copy: CopyOptions = {
      records: store.records,
      client,
      layout,
      keepsTexts: config.records_search_texts,
      ofProviders: async () => mappingsOf(providers),
    };
    const days = await daysOf(store.records);
    if (options["dry-run"] === true) {
      terminal.out(`${await estimate(copy, days)}\n`);
      return 0;
    }
    await makeTables(client, layout);
    let [records, copied] = [0, 0];
    for (const day of days) {
      const done = await patiently(copy, day);
      records += done.count;
      copied += done.copied;
      if (done.count > 0) terminal.err(`${line(done, records)}\n`);
    }
    terminal.out(`${JSON.stringify({ records, copied, days: days.length })}\n`);
    return 0;
  } finally {
    await store.close();
  }
};

async function patiently(copy: CopyOptions, day: Day): Promise<CopiedDay> {
  for (let tried = 1; ; tried++) {
    try {
      return await copyDay(copy, day);
    } catch (error) {
      if (!(error instanceof CopyMismatch)) throw error;
      if (tried === TRIES_MAX) throw new CommandError(error.message, error);
    }
  }
}

function line({ organizationId, from, count, copied, tokens, ids }: CopiedDay, records: number): string {
  const day = new Date(from).toISOString().slice(0, 10);
  const hash = ids.toString(16).padStart(8, "0");
  return `${day} ${organizationId}: ${counted(count, "record")}, ${copied} copied, ${tokens} tokens, ids ${hash}; ${records} in all`;
}

/** The work to do, estimated from some of the newest records. Nothing is written. */
async function estimate(copy: CopyOptions, days: readonly Day[]): Promise<string> {
  const records = await countEnded(copy.records);
  const startedMs = performance.now();
  let read = 0;
  for (const day of days) {
    for await (const keys of keysBetween(copy.records, day.organizationId, day)) {
      read += (await storedRecords(copy.records, keys, { ...copy, organizationId: day.organizationId })).length;
      if (read >= BATCH) break;
    }
    if (read >= BATCH) break;
  }
  const seconds = read === 0 ? 0 : ((performance.now() - startedMs) / 1_000) * (records / read);
  const span = days.length === 0 ? "" : ` of ${counted(new Set(days.map(({ from }) => from)).size, "day")}`;
  return `${counted(records, "record")}${span}; reading them takes about ${Math.ceil(seconds)} s here, and writing about as long again`;
}
