import type { Static, TObject } from "@sinclair/typebox";
import type { Json } from "../../plugin-host/contract.ts";

/** Calls an endpoint of this API as the caller, with the caller's permissions. */
export type Ask = (method: "GET" | "POST" | "PUT", path: string, body?: unknown) => Promise<Json>;

/** A tool that MCP clients can call. */
export interface Tool<Input extends TObject = TObject> {
  readonly name: string;
  readonly title: string;
  /** For a model: when to use the tool, and what it returns. */
  readonly description: string;
  readonly input: Input;
  /** JSON Schemas of the result's members, by name. */
  readonly output: Readonly<Record<string, object>>;
  /** The endpoint behind it, as `access/needs.ts` names it: callers who may not call that endpoint do not see the tool. */
  readonly endpoint: string;
  /** Set if the tool changes something. */
  readonly writes?: true;
  call(ask: Ask, input: Static<Input>): Promise<Readonly<Record<string, unknown>>>;
}

/** Infers the type of a tool's input, which `Tool` alone would lose. */
export function tool<Input extends TObject>(made: Tool<Input>): Tool {
  return made as unknown as Tool;
}

/** An endpoint's refusal, worded for a model. */
export class ToolError extends Error {}
