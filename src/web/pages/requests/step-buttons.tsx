import { Icon } from "../../parts/icon.tsx";
import type { Neighbours } from "./neighbours.ts";

interface StepButtonsProps extends Neighbours {
  readonly onStep: (id: string | undefined) => void;
}

/** Buttons for the previous and next request of the list. */
export function StepButtons({ previous, next, onStep }: StepButtonsProps) {
  const steps = [
    ["left", "Previous request (k)", previous],
    ["right", "Next request (j)", next],
  ] as const;
  return steps.map(([icon, label, id]) => (
    <button
      key={icon}
      type="button"
      className="quiet"
      aria-label={label}
      title={label}
      // A disabled button would lose the focus at the end of the list.
      aria-disabled={id === undefined || undefined}
      onClick={() => onStep(id)}
    >
      <Icon name={icon} />
    </button>
  ));
}
