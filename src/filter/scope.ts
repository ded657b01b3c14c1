import type { Sight } from "./sight.ts";
import type { FilterTree } from "./tree.ts";

/** What a query may see and asks for. The organization is never part of the caller's tree. */
export interface Scope {
  readonly organizationId: string;
  readonly tree: FilterTree;
  /** How much of the records the caller sees; all of it where Weir itself asks. */
  readonly sight?: Sight;
}
