import type { Acting } from "../../people/actor.ts";

/** The owner of what a caller stores for itself. */
export interface Owner {
  /** `key:<id>` or `user:<id>`: the kind precedes the id, so that ids of different kinds never collide. */
  readonly id: string;
  readonly name: string;
}

export const ownerOf = ({ actor }: Acting): Owner => ({ id: `${actor.kind}:${actor.id}`, name: actor.name });
