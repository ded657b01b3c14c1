import type { Command } from "./command.ts";
import { REGION_OPTION } from "./options.ts";

/** Commands about disk storage. */
export const STORAGE_COMMANDS: readonly Command[] = [
  {
    name: "storage erase",
    summary: "erase the bytes of deleted data from the database's files now; the service does it within minutes",
    options: { region: REGION_OPTION },
    load: async () => (await import("./storage.ts")).eraseStorageCommand,
  },
  {
    name: "storage progress",
    summary: "print the remaining background work on stored records, as JSON",
    options: { region: REGION_OPTION },
    load: async () => (await import("./storage.ts")).storageProgressCommand,
  },
  {
    name: "migrate bodies",
    summary: "move stored bodies into the object store, also while the service runs; an interrupted run can be resumed",
    options: { region: REGION_OPTION },
    notes: ['Needs bodies_engine = "s3". New bodies are stored there automatically, and old ones stay readable.'],
    load: async () => (await import("./migrate-bodies.ts")).migrateBodiesCommand,
  },
  {
    name: "migrate records",
    summary: "copy the records to ClickHouse, also while the service runs; an interrupted run can be resumed",
    options: {
      to: { type: "string", value: "clickhouse", description: "the engine to copy to" },
      "dry-run": {
        type: "boolean",
        description: "print the number of records and the estimated time, and copy nothing",
      },
      region: REGION_OPTION,
    },
    notes: [
      "Needs records_url. Days are copied from the newest on, and each batch is compared: count, sum of tokens, hash of ids.",
      'Then set records_engine = "clickhouse" and restart the nodes; run it again for what was recorded meanwhile.',
    ],
    load: async () => (await import("./migrate-records.ts")).migrateRecordsCommand,
  },
  {
    name: "compact",
    summary: "rewrite the database files without free space; the service must be stopped",
    notes: ["Needs as much free space as the larger file takes. An interrupted run leaves the file unchanged."],
    load: async () => (await import("./storage.ts")).compactCommand,
  },
];
