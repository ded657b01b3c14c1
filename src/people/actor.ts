/** The author of an action: a person, a service key, the command line, a plugin, or Weir itself. */
export interface Actor {
  readonly kind: "user" | "key" | "cli" | "plugin" | "system";
  readonly id: string;
  readonly name: string;
}

/** The actor and the origin of an action, for the audit log: every function that changes stored data takes one. */
export interface Acting {
  readonly actor: Actor;
  /** Address of the client, if known. */
  readonly address: string | null;
  /** Id of the API request. */
  readonly requestId: string | null;
}

export const SYSTEM: Acting = { actor: { kind: "system", id: "system", name: "Weir" }, address: null, requestId: null };

/** @param user - name of the operating system's user, if known. */
export function commandLine(user: string): Acting {
  return { actor: { kind: "cli", id: user, name: user }, address: null, requestId: null };
}
