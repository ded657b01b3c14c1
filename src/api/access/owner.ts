import type { Acting } from "../../people/actor.ts";

/** Who has what a caller keeps for itself. */
export interface Owner {
  /** `key:<id>` or `user:<id>`: the kind stands before the id, so that no id of another kind is ever the same. */
  readonly id: string;
  readonly name: string;
}

export const ownerOf = ({ actor }: Acting): Owner => ({ id: `${actor.kind}:${actor.id}`, name: actor.name });
