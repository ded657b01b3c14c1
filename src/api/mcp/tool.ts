import type { Static, TObject } from "@sinclair/typebox";
import type { Json } from "../../plugin-host/contract.ts";

/** Asks an endpoint of this API as the caller, with the caller's permissions. */
export type Ask = (method: "GET" | "POST" | "PUT", path: string, body?: unknown) => Promise<Json>;

/** What programs that speak MCP can call. */
export interface Tool<Input extends TObject = TObject> {
  readonly name: string;
  readonly title: string;
  /** For a model: what it is good for, and what it answers. */
  readonly description: string;
  readonly input: Input;
  /** JSON Schemas of what the result has, by name. */
  readonly output: Readonly<Record<string, object>>;
  /** The endpoint that it stands for, as `access/needs.ts` names it: callers who may not call that are not shown the tool. */
  readonly endpoint: string;
  /** It changes something. */
  readonly writes?: true;
  call(ask: Ask, input: Static<Input>): Promise<Readonly<Record<string, unknown>>>;
}

/** Keeps the type of the input, which a list of tools forgets. */
export function tool<Input extends TObject>(made: Tool<Input>): Tool {
  return made as unknown as Tool;
}

/** What an endpoint refused, in words for a model. */
export class ToolError extends Error {}
