import type { Command, Option } from "./command.ts";
import { JSON_OPTION, REGION_OPTION } from "./options.ts";

const text = (value: string, description: string): Option => ({ type: "string", value, description });
const ORG = text("ORG", "of this organization (default: all, and those of the deployment)");

/** Commands that read the audit log. */
export const AUDIT_COMMANDS: readonly Command[] = [
  {
    name: "audit list",
    summary: "list actions and refusals, the newest first",
    options: {
      org: ORG,
      actor: text("WHO", "id, name or kind (user, key, cli, plugin, system) of the actor"),
      action: text("ACTION", "an action such as key.created, or a group such as key.*"),
      object: text("WHAT", "id, name or kind of the object"),
      outcome: text("OUTCOME", "done or refused"),
      since: text("TIME", "from this ISO time on"),
      until: text("TIME", "before this ISO time"),
      limit: text("N", "maximum number (default: 100)"),
      json: JSON_OPTION,
      region: REGION_OPTION,
    },
    load: async () => (await import("./audit.ts")).listAuditCommand,
  },
  {
    name: "audit export",
    summary: "write all entries of the audit log, one JSON object per line, the oldest first",
    options: {
      org: ORG,
      output: text("FILE", "the file to write, - for stdout (default: -)"),
      force: { type: "boolean", description: "replace an existing file" },
      region: REGION_OPTION,
    },
    load: async () => (await import("./audit.ts")).exportAuditCommand,
  },
  {
    name: "audit verify",
    summary: "verify the audit log's chain of hashes and print the first break",
    options: { json: JSON_OPTION, region: REGION_OPTION },
    notes: ["Exits with status 1 if an entry was changed or is missing."],
    load: async () => (await import("./audit.ts")).verifyAuditCommand,
  },
];
