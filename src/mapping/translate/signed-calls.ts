import type { Part } from "../../plugin-host/contract.ts";

/** Moves a call's state back to the call from the empty reasoning part before it. */
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
