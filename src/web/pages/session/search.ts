import { readText } from "../../parts/list-search.ts";

/** How a session is shown. */
export const VIEWS = { tree: "Tree", time: "In time", conversation: "Conversation" } as const;
type SessionView = keyof typeof VIEWS;

/** The state of a session's page in its address. */
interface SessionSearch {
  readonly view?: Exclude<SessionView, "tree"> | undefined;
  /** Id of the request that is open beside the others. */
  readonly open?: string | undefined;
  /** Whether a session with more requests than a page shows is shown from its end. */
  readonly end?: true | undefined;
}

export function readSessionSearch({ view, open, end }: Record<string, unknown>): SessionSearch {
  const id = readText(open);
  return {
    ...(view === "time" || view === "conversation" ? { view } : {}),
    ...(id === undefined ? {} : { open: id }),
    ...(end === true ? { end } : {}),
  };
}
