import type { Json } from "../../../src/plugin-host/contract.ts";

/** A provider's response: one JSON body, or events that go out one after the other. */
export type ScriptedResponse =
  | { readonly json: Json; readonly status?: number }
  | { readonly events: readonly string[] };
