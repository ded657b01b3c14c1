/** How a session is shown. */
export const VIEWS = { tree: "Tree", time: "In time", conversation: "Conversation" } as const;
export type SessionView = keyof typeof VIEWS;

/** What the address of a session's page says. */
interface SessionSearch {
  readonly view?: Exclude<SessionView, "tree"> | undefined;
}

export function readSessionSearch({ view }: Record<string, unknown>): SessionSearch {
  return view === "time" || view === "conversation" ? { view } : {};
}
