import type { Call, Loss, Prompt, Shape, Take } from "../../plugin-host/contract.ts";

/** Shared by the steps of fitting: the target, and the list of losses. */
export interface Fitting {
  readonly shape: Shape;
  readonly call: Call;
  readonly losses: Loss[];
  readonly take: (name: keyof NonNullable<Shape["takes"]>) => Take;
}

/** Whether the model accepts no choice among its tools but `auto`. */
export const isUnchosen = ({ call: { facts } }: Fitting): boolean => facts.rejects?.includes("tool_choice") === true;

/** Whether the model cannot think if a tool is forced. */
export const thinksUnforced = ({ shape, call: { facts } }: Fitting): boolean =>
  (shape.limits?.noForcedThinking === true || facts.thinkingSwitch === true) && facts.thinksWhenForced !== true;

/** Whether thinking, which is on by default, must be switched off because a tool is forced. */
export const switchesOff = (fitting: Fitting): boolean =>
  fitting.call.facts.thinkingSwitch === true && fitting.call.facts.mustThink !== true && thinksUnforced(fitting);

export const isForced = ({ toolChoice }: Pick<Prompt, "toolChoice">): boolean =>
  toolChoice?.mode === "any" || toolChoice?.mode === "one";
