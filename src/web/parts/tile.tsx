import type { ReactNode } from "react";

interface TileProps {
  readonly label: string;
  readonly value: ReactNode;
  readonly delta?: ReactNode;
  readonly note?: ReactNode;
}

/** A metric with its name. */
export function Tile({ label, value, delta, note }: TileProps) {
  return (
    <div className="tile">
      <dt>{label}</dt>
      <dd>
        <span className="tile-value">{value}</span>
        <span className="tile-note">
          {delta}
          {note}
        </span>
      </dd>
    </div>
  );
}
