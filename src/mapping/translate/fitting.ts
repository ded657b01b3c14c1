import type { Call, Loss, Shape, Take } from "../../plugin-host/contract.ts";

/** Shared by the steps of fitting: the target, and the list of losses. */
export interface Fitting {
  readonly shape: Shape;
  readonly call: Call;
  readonly losses: Loss[];
  readonly take: (name: keyof NonNullable<Shape["takes"]>) => Take;
}
