/** Who does something: a person, a service key, the command line, a plugin, or Weir itself. */
export interface Actor {
  readonly kind: "user" | "key" | "cli" | "plugin" | "system";
  readonly id: string;
  readonly name: string;
}

/** Who acts, and from where: every function that changes what is stored is given it, for the audit. */
export interface Acting {
  readonly actor: Actor;
  /** Address of the client, where one is known. */
  readonly address: string | null;
  /** Id of the API request that it came with. */
  readonly requestId: string | null;
}

export const SYSTEM: Acting = { actor: { kind: "system", id: "system", name: "Weir" }, address: null, requestId: null };

/** @param user - name of the operating system's user, where it is known. */
export function commandLine(user: string): Acting {
  return { actor: { kind: "cli", id: user, name: user }, address: null, requestId: null };
}
