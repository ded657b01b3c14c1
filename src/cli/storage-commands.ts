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
    name: "compact",
    summary: "rewrite the database files without free space; the service must be stopped",
    notes: ["Needs as much room again as the larger file takes. A file that is cut off stays as it was."],
    load: async () => (await import("./storage.ts")).compactCommand,
  },
];
