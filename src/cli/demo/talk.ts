import type { Json } from "../../plugin-host/contract.ts";

/** A tool that a model may call. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Descriptions of its parameters, all strings. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
}

export type Said =
  | { readonly user: string; readonly picture?: string }
  | { readonly assistant: string }
  | { readonly calls: readonly ToolCall[] }
  | { readonly result: string; readonly of: ToolCall };

/** One request and its response, before conversion to a provider's form. */
export interface Talk {
  readonly model: string;
  readonly system?: string;
  readonly said: readonly Said[];
  readonly tools?: readonly Tool[];
  readonly answer: { readonly text?: string; readonly thinking?: string; readonly calls?: readonly ToolCall[] };
  readonly stream?: boolean;
  readonly settings?: Readonly<Record<string, Json>>;
  readonly tokens: {
    readonly input: number;
    readonly output: number;
    readonly reasoning?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
}

/** JSON Schema of a tool's parameters. */
export function schemaOf({ parameters }: Tool): Json {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([name, description]) => [name, { type: "string", description }]),
  );
  return { type: "object", properties, required: Object.keys(parameters) };
}

/** A text in the pieces in which a model would stream it. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/\S+\s*/g) ?? [];
}

export const PICTURE_TYPE = "image/png";
