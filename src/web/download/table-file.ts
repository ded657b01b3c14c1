import { type CsvColumn, csvColumns, csvHead, csvLines } from "./csv.ts";
import type { ParquetFile } from "./parquet.ts";

export const FORMATS = { csv: "CSV", jsonl: "JSONL", parquet: "Parquet" } as const;
export type Format = keyof typeof FORMATS;

type Row = Readonly<Record<string, unknown>>;

const TYPES: Readonly<Record<Format, string>> = {
  csv: "text/csv;charset=utf-8",
  jsonl: "application/x-ndjson",
  parquet: "application/vnd.apache.parquet",
};

/** Properties and scores with a column of their own in a table. */
export interface Named {
  readonly properties: readonly string[];
  readonly scores: readonly string[];
}

/** Collects rows into a file. The browser stores the parts, on disk if there are many. */
export class TableFile {
  readonly #format: Format;
  readonly #named: Named;
  readonly #parts: Blob[] = [];
  #columns: readonly CsvColumn[] | undefined;
  #parquet: ParquetFile | undefined;

  constructor(format: Format, named: Named = { properties: [], scores: [] }) {
    this.#format = format;
    this.#named = named;
  }

  async add(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    if (this.#format === "jsonl") this.#parts.push(new Blob(rows.map((row) => `${JSON.stringify(row)}\n`)));
    else if (this.#format === "csv") this.#parts.push(new Blob([this.#headOnce(rows), csvLines(this.#columns!, rows)]));
    else this.#parts.push(new Blob([(await this.#parquetOf(rows)).add(rows)]));
  }

  async end(): Promise<Blob> {
    if (this.#format === "csv") this.#parts.push(new Blob([this.#headOnce([])]));
    if (this.#format === "parquet") this.#parts.push(new Blob([(await this.#parquetOf([])).end()]));
    return new Blob(this.#parts, { type: TYPES[this.#format] });
  }

  #headOnce([first]: readonly Row[]): string {
    if (this.#columns !== undefined) return "";
    this.#columns = csvColumns(first, this.#named);
    return csvHead(this.#columns);
  }

  async #parquetOf([first]: readonly Row[]): Promise<ParquetFile> {
    const { ParquetFile } = await import("./parquet.ts");
    this.#parquet ??= new ParquetFile(csvColumns(first, this.#named));
    return this.#parquet;
  }
}

/** Lets the browser save a file, named after its contents and the date. */
export function save(blob: Blob, name: string, format: Format): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${name}-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.${format}`;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
