import type { Part } from "../../plugin-host/contract.ts";

/** Moves the state of a call from an empty reasoning part before it back to the call. */
export function signedCalls(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    const state = before?.type === "reasoning" && before.state?.of === "call" ? before.state : undefined;
    if (part.type === "call" && state !== undefined) {
      const { of: _, ...own } = state;
      joined[joined.length - 1] = { ...part, state: own };
    } else joined.push(part);
  }
  return joined;
}
