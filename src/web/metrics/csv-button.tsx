import { useMutation } from "@tanstack/react-query";
import { Icon } from "../parts/icon.tsx";

interface CsvButtonProps {
  /** Of the file, without its ending. */
  readonly name: string;
  /** All rows, not only those of the page that is shown. */
  readonly ask: () => Promise<readonly object[]>;
}

const tableCode = () =>
  Promise.all([import("../pages/requests/download/csv.ts"), import("../pages/requests/download/collect.ts")]);

/** Downloads a table as CSV, with every member that the API has of a row. */
export function CsvButton({ name, ask }: CsvButtonProps) {
  const work = useMutation({
    mutationFn: async () => {
      const [{ csvColumns, csvHead, csvLines }, { save }] = await tableCode();
      const rows = (await ask()) as readonly Readonly<Record<string, unknown>>[];
      const columns = csvColumns(rows[0], { properties: [], scores: [] });
      const text = csvHead(columns) + csvLines(columns, rows);
      save(
        new Blob([text], { type: "text/csv;charset=utf-8" }),
        `${name}-${new Date().toISOString().slice(0, 10)}.csv`,
      );
    },
  });
  return (
    <button
      type="button"
      disabled={work.isPending}
      title={work.error === null ? "Download all rows as CSV" : work.error.message}
      onClick={() => work.mutate()}
    >
      <Icon name="download" />
      <span role="status">
        {work.isPending ? "Loading" : work.error === null ? "CSV" : "Not downloaded: try again"}
      </span>
    </button>
  );
}
