import type { Client } from "../api-client/client.ts";
import { readEnvelope, UnreadableResponse } from "../api-client/envelope.ts";
import { IMPORTED_RECORD_BYTES_MAX, RECORD_MEMBERS } from "../record/imported.ts";
import type { Found } from "./source.ts";
import { withOurNames } from "./with-our-names.ts";

/** Maximum records and characters per call; a longer record is sent alone. */
const BATCH_RECORDS = 500;
const BATCH_LENGTH = 4 << 20;

export interface Counts {
  imported: number;
  existing: number;
  rejected: number;
}

interface SenderOptions {
  readonly client: Client;
  readonly brand: string | undefined;
  readonly onRejected: (number: number, why: string, id: string | null) => void;
  /** An unknown member was dropped from a record. */
  readonly onUnknown: (name: string) => void;
  /** A batch is in the database: everything up to this record is done. */
  readonly onSent: (last: Found, records: number) => Promise<void>;
}

interface Batched {
  readonly number: number;
  readonly text: string;
}

/** Collects records into calls. */
export class Sender {
  readonly counts: Counts = { imported: 0, existing: 0, rejected: 0 };
  readonly #options: SenderOptions;
  #batch: Batched[] = [];
  #length = 0;
  #seen = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  async add(found: Found): Promise<void> {
    this.#seen++;
    const read = found.text === undefined ? { why: found.why ?? "unreadable" } : this.#read(found.text);
    if ("why" in read) this.#reject(found.number, read.why, null);
    else {
      this.#batch.push({ number: found.number, text: read.text });
      this.#length += read.text.length;
    }
    if (this.#seen >= BATCH_RECORDS || this.#length >= BATCH_LENGTH) await this.flush(found);
  }

  /** @param last - the last record that was added. */
  async flush(last: Found | undefined): Promise<void> {
    const batch = this.#batch;
    const seen = this.#seen;
    this.#batch = [];
    this.#length = this.#seen = 0;
    if (batch.length > 0) await this.#send(batch);
    if (last !== undefined) await this.#options.onSent(last, seen);
  }

  #read(text: string): { readonly text: string } | { readonly why: string } {
    let record: unknown;
    try {
      record = JSON.parse(text);
    } catch (error) {
      return { why: error instanceof RangeError ? "nested too deeply" : "not JSON" };
    }
    if (typeof record !== "object" || record === null || Array.isArray(record)) return { why: "not a JSON object" };
    const { brand, onUnknown } = this.#options;
    if (brand !== undefined) {
      const translated = withOurNames(text, record as Record<string, unknown>, brand);
      for (const name of translated.unknown) onUnknown(name);
      return bounded(translated.text);
    }
    for (const name of Object.keys(record)) if (!RECORD_MEMBERS.has(name)) onUnknown(name);
    return bounded(text);
  }

  #reject(number: number, why: string, id: string | null): void {
    this.counts.rejected++;
    this.#options.onRejected(number, why, id);
  }

  async #send(batch: readonly Batched[]): Promise<void> {
    const response = await this.#options.client.ask({
      path: "/v1/import",
      body: batch.map(({ text }) => text).join("\n"),
      contentType: "application/x-ndjson",
      scope: "admin",
      read: (response) => readResponse(response, batch.length),
    });
    this.counts.imported += response.imported;
    this.counts.existing += response.existing;
    for (const { line, id, why } of response.rejected) this.#reject(batch[line - 1]!.number, why, id);
  }
}

/** Line breaks can only occur between the members of a record, where a space is equivalent. */
function bounded(text: string): { readonly text: string } | { readonly why: string } {
  if (Buffer.byteLength(text) > IMPORTED_RECORD_BYTES_MAX) return { why: "longer than an import takes" };
  return { text: text.replace(/[\r\n]+/g, " ") };
}

interface ImportResponse {
  readonly imported: number;
  readonly existing: number;
  readonly rejected: readonly { readonly line: number; readonly id: string | null; readonly why: string }[];
}

function readResponse(response: Uint8Array, records: number): ImportResponse {
  const data = readEnvelope(response).data as ImportResponse | null;
  const { imported, existing, rejected } = data ?? {};
  const sound =
    Number.isSafeInteger(imported) &&
    Number.isSafeInteger(existing) &&
    Array.isArray(rejected) &&
    rejected.every(({ line, why }) => line >= 1 && line <= records && typeof why === "string");
  if (!sound) throw new UnreadableResponse("not a response to an import");
  return data as ImportResponse;
}
