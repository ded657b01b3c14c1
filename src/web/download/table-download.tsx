import { useMutation } from "@tanstack/react-query";
import { Trouble } from "../parts/confirm-button.tsx";
import { Menu } from "../parts/menu.tsx";
import type { Format } from "./table-file.ts";

interface TableDownloadProps {
  /** The file's name, without its extension. */
  readonly name: string;
  /** Returns all rows, not only those of the shown page. */
  readonly ask: () => Promise<readonly object[]>;
}

const FORMATS: readonly (readonly [Format, string])[] = [
  ["csv", "CSV"],
  ["jsonl", "JSONL"],
  ["parquet", "Parquet"],
];

/** Downloads a table, with every member that the API returns for a row. */
export function TableDownload({ name, ask }: TableDownloadProps) {
  const work = useMutation({
    mutationFn: async (format: Format) => {
      const { TableFile, save } = await import("./table-file.ts");
      const file = new TableFile(format);
      await file.add((await ask()) as readonly Readonly<Record<string, unknown>>[]);
      save(await file.end(), name, format);
    },
    meta: { changes: [] },
  });
  return (
    <Menu label="Download" icon="download">
      {(close) => (
        <>
          {FORMATS.map(([format, label]) => (
            <button
              key={format}
              type="button"
              className="quiet"
              disabled={work.isPending}
              onClick={() => work.mutate(format, { onSuccess: close })}
            >
              {label}
            </button>
          ))}
          <p role="status" className="muted">
            {work.isPending ? "Reading the rows…" : ""}
          </p>
          <Trouble error={work.error} />
        </>
      )}
    </Menu>
  );
}
