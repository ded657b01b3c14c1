import type { Sight } from "./sight.ts";
import type { FilterTree } from "./tree.ts";

/** The visible part of the records, and the filter. The organization is never part of the caller's tree. */
export interface Scope {
  readonly organizationId: string;
  readonly tree: FilterTree;
  /** How much of the records the caller sees; everything if Weir itself queries. */
  readonly sight?: Sight;
}
