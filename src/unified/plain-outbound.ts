import { inNumbers } from "../mapping/exact-json.ts";
import { type PlainToolNames, ToolNames } from "../mapping/translate/tool-names.ts";
import { SHAPES } from "../mapping/wire/shapes.ts";
import type { Prompt } from "../plugin-host/contract.ts";
import { type Outbound, type OutboundRequest, type Spoken, shapeNameOf } from "./outbound.ts";
import type { ResponseContext } from "./response.ts";

/** An outbound request as it crosses threads: shapes by index, names as a list. */
export type PlainOutbound =
  | (Omit<Extract<Outbound, { readonly kind: "same" }>, "at"> & { readonly place: number })
  | (Omit<Extract<Outbound, { readonly kind: "translated" }>, "at" | "shape" | "names"> & {
      readonly place: number;
      readonly names: PlainToolNames;
    })
  | { readonly kind: "fetch"; readonly place: number; readonly addresses: readonly string[] }
  | Extract<Outbound, { readonly kind: "refused" | "invalid" }>;

/** The context of a response's translation, as it crosses threads. */
export type PlainContext = Omit<ResponseContext, "outbound"> & {
  readonly outbound: Pick<ResponseContext["outbound"], "prompt"> & {
    readonly shape: string;
    readonly names: PlainToolNames;
  };
};

/** `shapes` are those of the request that `outbound` was written for. */
export function toPlain(outbound: Outbound, { shapes }: { readonly shapes: readonly Spoken[] }): PlainOutbound {
  if (outbound.kind === "refused" || outbound.kind === "invalid") return outbound;
  const place = shapes.indexOf(outbound.at);
  if (outbound.kind === "fetch") return { kind: "fetch", place, addresses: outbound.addresses };
  if (outbound.kind === "same") {
    const { kind, body, edits, addsUsage } = outbound;
    return { kind, place, body, edits, addsUsage };
  }
  const { kind, body, prompt, losses, names } = outbound;
  return { kind, place, body, prompt: cloneable(prompt), losses, names: names.plain };
}

/** The response may repeat tools and settings. Digits beyond those of a number do not survive the copy. */
const cloneable = (prompt: Prompt): Prompt => ({
  ...prompt,
  tools: inNumbers(prompt.tools),
  settings: inNumbers(prompt.settings),
});

export function fromPlain(plain: PlainOutbound, { shapes }: OutboundRequest): Outbound {
  if (plain.kind === "refused" || plain.kind === "invalid") return plain;
  const at = shapes[plain.place]!;
  if (plain.kind === "fetch") return { kind: "fetch", at, addresses: plain.addresses };
  if (plain.kind === "same") {
    const { kind, body, edits, addsUsage } = plain;
    return { kind, at, body, edits, addsUsage };
  }
  const { kind, body, prompt, losses, names } = plain;
  return { kind, at, shape: SHAPES[shapeNameOf(at)]!, body, prompt, losses, names: ToolNames.from(names) };
}
