import { type Caller, may } from "../access/caller.ts";
import { NEEDS, permissionNeeded } from "../access/needs.ts";
import type { Tool } from "./tool.ts";
import { AGGREGATE_TOOLS } from "./tools/aggregates.ts";
import { CHANGE_TOOLS } from "./tools/changes.ts";
import { DATASET_CHANGES, DATASET_TOOLS } from "./tools/datasets.ts";
import { REQUEST_TOOLS } from "./tools/requests.ts";
import { SESSION_TOOLS } from "./tools/sessions.ts";

/** Every tool, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [
  ...REQUEST_TOOLS,
  ...SESSION_TOOLS,
  ...AGGREGATE_TOOLS,
  ...DATASET_TOOLS,
  ...CHANGE_TOOLS,
  ...DATASET_CHANGES,
];

/** The tools whose endpoint the caller may call. */
export function toolsFor(caller: Pick<Caller, "permissions" | "user">): readonly Tool[] {
  return TOOLS.filter(({ endpoint }) => {
    const permission = permissionNeeded(NEEDS[endpoint]!, caller.user === undefined ? "key" : "user");
    return permission === undefined || may(caller, permission);
  });
}
