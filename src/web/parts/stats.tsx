import type { ReactNode } from "react";

interface StatsProps {
  readonly className: string;
  /** Unique names with their values. */
  readonly stats: readonly (readonly [string, ReactNode])[];
}

/** Values in a row, each below its name. */
export function Stats({ className, stats }: StatsProps) {
  return (
    <dl className={className}>
      {stats.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
