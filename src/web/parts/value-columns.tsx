import type { Column } from "./data-table.tsx";
import { Count, Duration, Money, Time } from "./values.tsx";

type NumberOf<T> = (row: T) => number | null;

/** A column of amounts of money. */
export const costColumn = <T extends { readonly cost: number | null }>(): Column<T> => ({
  id: "cost",
  header: "Cost",
  align: "end",
  value: ({ cost }) => cost,
  cell: ({ cost }) => <Money of={cost} />,
});

/** A column of whole numbers. */
export const countColumn = <T,>(id: string, header: string, of: NumberOf<T>): Column<T> => ({
  id,
  header,
  align: "end",
  value: of,
  cell: (row) => <Count of={of(row)} />,
});

/** A column of large numbers, in short form. */
export const shortCountColumn = <T,>(id: string, header: string, of: NumberOf<T>): Column<T> => ({
  ...countColumn(id, header, of),
  cell: (row) => <Count of={of(row)} short />,
});

export const durationColumn = <T,>(id: string, header: string, of: NumberOf<T>): Column<T> => ({
  id,
  header,
  align: "end",
  value: of,
  cell: (row) => <Duration of={of(row)} />,
});

/** A column of times; `relative` shows how long ago they were. */
export const timeColumn = <T,>(id: string, header: string, of: (row: T) => string, relative = false): Column<T> => ({
  id,
  header,
  value: of,
  cell: (row) => <Time of={of(row)} relative={relative} />,
});
