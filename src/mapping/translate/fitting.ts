import type { Call, Loss, Shape, Take } from "../../plugin-host/contract.ts";

/** What the steps of fitting share: the target, and the list of losses that they add to. */
export interface Fitting {
  readonly shape: Shape;
  readonly call: Call;
  readonly losses: Loss[];
  readonly take: (name: keyof NonNullable<Shape["takes"]>) => Take;
}
