import { ByteWriter, ParquetWriter } from "hyparquet-writer";

type Schema = ParquetWriter["schema"];
type RowGroup = ParquetWriter["row_groups"][number];

/** `PAR1`, at the beginning and at the end of a file. */
const MAGIC_BYTES = 4;
/** Bytes after the metadata that hold its length. */
const LENGTH_BYTES = 4;
/** Thrift: a list of structs begins with its length and this; from 15 on the length follows as a number. */
const STRUCT = 12;
const SHORT_LIST_MAX = 14;

/**
 * The footer of a Parquet file, which describes every column of every row group.
 *
 * The library keeps those descriptions as objects until the end, 2 kB for each column of each group, and then creates others
 * from them. Here each group is serialized immediately, to a tenth of that size. The bytes are cut out of the footer of a
 * file with only this group; the parts before and after the list of groups come from a file without groups.
 */
export class ParquetFooter {
  readonly #schema: Schema;
  readonly #createdBy: string;
  readonly #groups: Uint8Array[] = [];
  #rows = 0n;

  constructor(schema: Schema, createdBy: string) {
    this.#schema = schema;
    this.#createdBy = createdBy;
  }

  add(group: RowGroup): void {
    const empty = this.#write([], 0n);
    const one = this.#write([group], 0n);
    const list = listAt(empty, one);
    const behind = empty.length - list - 1;
    this.#groups.push(one.slice(list + 1, one.length - behind));
    this.#rows += group.num_rows;
  }

  /** The metadata and its length: the footer without the magic number. */
  bytes(): Uint8Array {
    const empty = this.#write([], this.#rows);
    const list = listAt(empty, this.#write([EMPTY_GROUP], this.#rows));
    const parts = [
      empty.subarray(0, list),
      listHeader(this.#groups.length),
      ...this.#groups,
      empty.subarray(list + 1, empty.length - LENGTH_BYTES),
    ];
    const metadata = Buffer.concat(parts);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(metadata.length);
    return Buffer.concat([metadata, length]);
  }

  /** The footer of a file with these groups, as the library writes it. */
  #write(groups: RowGroup[], rows: bigint): Uint8Array {
    const writer = new ByteWriter();
    const file = new ParquetWriter({ writer, schema: this.#schema, createdBy: this.#createdBy });
    file.row_groups = groups;
    file.num_rows = rows;
    file.finish();
    return writer.getBytes().subarray(MAGIC_BYTES, -MAGIC_BYTES);
  }
}

const EMPTY_GROUP: RowGroup = { columns: [], total_byte_size: 0n, num_rows: 0n };

/** The start of the list of groups: the first byte in which two otherwise equal footers differ. */
function listAt(empty: Uint8Array, one: Uint8Array): number {
  return empty.findIndex((byte, index) => byte !== one[index]);
}

function listHeader(length: number): Uint8Array {
  if (length <= SHORT_LIST_MAX) return Uint8Array.of((length << 4) | (length === 0 ? 0 : STRUCT));
  const bytes = [0xf0 | STRUCT];
  for (let rest = length; ; rest >>>= 7) {
    if (rest < 0x80) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}
