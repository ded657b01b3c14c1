import type { QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Reads queries again after a change. One that is still being read for the first time starts over: its response may be from
 * before the change, and would count as fresh.
 */
export async function readAgain(client: QueryClient, queryKey: QueryKey): Promise<void> {
  await client.cancelQueries({ queryKey });
  await client.invalidateQueries({ queryKey });
}
