import type { Access } from "./gate.ts";

/** What an endpoint says of itself: who may call it, for the gate, and what it does, for the description of the API. */
export function endpoint(access: Access, tag: string, summary: string, description = "") {
  return { detail: { summary, description, tags: [tag], "x-access": access } };
}
