import type { Command } from "./command.ts";
import { REGION_OPTION } from "./options.ts";

/** Commands about what is stored on the disk. */
export const STORAGE_COMMANDS: readonly Command[] = [
  {
    name: "storage erase",
    summary: "take the bytes of what was deleted out of the database's files now; they go by themselves within minutes",
    options: { region: REGION_OPTION },
    load: async () => (await import("./storage.ts")).eraseStorageCommand,
  },
  {
    name: "storage progress",
    summary: "how much is left of what the service does with stored records in the background, as JSON",
    options: { region: REGION_OPTION },
    load: async () => (await import("./storage.ts")).storageProgressCommand,
  },
  {
    name: "migrate bodies",
    summary: "move stored bodies into the object store, also while the service runs; it goes on where it was cut off",
    options: { region: REGION_OPTION },
    notes: ['Needs bodies_engine = "s3". New bodies go there by themselves, and old ones are read where they are.'],
    load: async () => (await import("./migrate-bodies.ts")).migrateBodiesCommand,
  },
  {
    name: "compact",
    summary: "rewrite the database files without free space; the service must be stopped",
    notes: ["Needs as much room again as the larger file takes. A file that is cut off stays as it was."],
    load: async () => (await import("./storage.ts")).compactCommand,
  },
];
