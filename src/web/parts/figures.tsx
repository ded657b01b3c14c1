import type { ReactNode } from "react";

interface FiguresProps {
  readonly className: string;
  /** Names, which differ, with their values. */
  readonly figures: readonly (readonly [string, ReactNode])[];
}

/** Figures in a row, each below its name. */
export function Figures({ className, figures }: FiguresProps) {
  return (
    <dl className={className}>
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
