import type { KeySnapshot } from "../../keys.ts";

/** Who has what a caller keeps for itself. */
export interface Owner {
  /** `key:<id>`: the kind stands before the id, so that no id of another kind is ever the same. */
  readonly id: string;
  readonly name: string;
}

export const ownerOf = (caller: KeySnapshot): Owner => ({ id: `key:${caller.id}`, name: caller.name });
