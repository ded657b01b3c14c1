import type { Caller } from "../access/caller.ts";
import { NEEDS, permissionLacked } from "../access/needs.ts";
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
export function toolsFor(caller: Pick<Caller, "permissions" | "user" | "key">): readonly Tool[] {
  return TOOLS.filter(({ endpoint }) => permissionLacked(NEEDS[endpoint]!, caller) === undefined);
}
