import type { MutationMeta, QueryClient, QueryKey } from "@tanstack/react-query";

declare module "@tanstack/react-query" {
  interface Register {
    mutationMeta: {
      /** Keys of the queries that show what a mutation changes; none if it changes nothing. Default: all queries. */
      readonly changes?: readonly QueryKey[] | undefined;
    };
  }
}

/** Every key begins like this one. */
const ALL: readonly QueryKey[] = [[]];

/**
 * Reads queries again after a change; the client does so after each mutation. A query that is still being read for the first
 * time starts over: its response may be from before the change, and would count as fresh. Only the first reading of the log-in
 * continues, because pages wait for it.
 */
export async function readAgain(client: QueryClient, { changes = ALL }: MutationMeta = {}): Promise<void> {
  const read = async (queryKey: QueryKey) => {
    await client.cancelQueries({
      queryKey,
      predicate: ({ queryKey: [first], state }) => first !== "session" || state.data !== undefined,
    });
    await client.invalidateQueries({ queryKey });
  };
  await Promise.all(changes.map(read));
}
