/** Unpacked rows of a number column: NaN stands for null. */
export type Numbers = Float64Array;

/** Rows of a text column: 0 is null; other codes are positions in `values`, counted from 1. */
export interface Texts {
  readonly codes: Uint32Array;
  readonly values: readonly string[];
}

/**
 * A packed column: a header of 24 bytes, the rows and, for texts, their values as a JSON array. Rows take as few bytes each
 * as their values need: integers are stored as the distance from the lowest one, and the highest code is null.
 *
 * Header: form (0 integers, 1 floating point, 2 texts), bytes per row, 1 if a number is null, 1 unused, rows (u32), then the
 * lowest number (f64) and length of the JSON (u32), 4 unused. Little-endian, like every supported machine.
 */
const HEAD_BYTES = 24;
const FORMS = { whole: 0, float: 1, texts: 2 } as const;
const HIGHEST: Readonly<Record<number, number>> = { 1: 0xff, 2: 0xffff, 4: 0xffffffff };

type Codes = Uint8Array | Uint16Array | Uint32Array;

export function packNumbers(values: Numbers): Uint8Array {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  let whole = true;
  let nulls = false;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (Number.isNaN(value)) {
      nulls = true;
      continue;
    }
    if (!Number.isInteger(value)) whole = false;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (least === Number.POSITIVE_INFINITY) least = most = 0;
  const width = whole && Number.isSafeInteger(least) && Number.isSafeInteger(most) ? widthOf(most - least) : 0;
  if (width === 0) return pack({ form: FORMS.float, width: 8, least: 0, nulls }, values);
  const rows = codes(width, values.length);
  const none = HIGHEST[width]!;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    rows[row] = Number.isNaN(value) ? none : value - least;
  }
  return pack({ form: FORMS.whole, width, least, nulls }, rows);
}

export function packTexts({ codes: places, values }: Texts): Uint8Array {
  const width = widthOf(values.length) || 4;
  const rows = codes(width, places.length);
  rows.set(places);
  return pack({ form: FORMS.texts, width, least: 0, nulls: false }, rows, JSON.stringify(values));
}

export function unpackNumbers(packed: Uint8Array): Numbers {
  const { head, rows } = unpack(packed);
  if (head.form === FORMS.float) return rows as Float64Array;
  const numbers = new Float64Array(rows);
  const { least } = head;
  const none = HIGHEST[head.width]!;
  if (head.nulls) {
    for (let row = 0; row < numbers.length; row++) {
      const code = numbers[row]!;
      numbers[row] = code === none ? Number.NaN : code + least;
    }
  } else if (least !== 0) for (let row = 0; row < numbers.length; row++) numbers[row]! += least;
  return numbers;
}

export function unpackTexts(packed: Uint8Array): Texts {
  const { rows, json } = unpack(packed);
  return { codes: rows instanceof Uint32Array ? rows : Uint32Array.from(rows), values: JSON.parse(json) as string[] };
}

/** Bytes needed for codes up to `most`, with one to spare for null; 0 when they are too large. */
function widthOf(most: number): number {
  return most < 0xff ? 1 : most < 0xffff ? 2 : most < 0xffffffff ? 4 : 0;
}

function codes(width: number, rows: number): Codes {
  return width === 1 ? new Uint8Array(rows) : width === 2 ? new Uint16Array(rows) : new Uint32Array(rows);
}

interface Head {
  readonly form: number;
  readonly width: number;
  readonly least: number;
  readonly nulls: boolean;
}

function pack({ form, width, least, nulls }: Head, rows: Codes | Float64Array, json = ""): Uint8Array {
  const text = new TextEncoder().encode(json);
  const packed = new Uint8Array(HEAD_BYTES + rows.byteLength + text.byteLength);
  const head = new DataView(packed.buffer);
  head.setUint8(0, form);
  head.setUint8(1, width);
  head.setUint8(2, nulls ? 1 : 0);
  head.setUint32(4, rows.length, true);
  head.setFloat64(8, least, true);
  head.setUint32(16, text.byteLength, true);
  packed.set(new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength), HEAD_BYTES);
  packed.set(text, HEAD_BYTES + rows.byteLength);
  return packed;
}

function unpack(packed: Uint8Array) {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const width = view.getUint8(1);
  const length = view.getUint32(4, true);
  const jsonAt = HEAD_BYTES + width * length;
  // Copies the bytes, which a Buffer's own `slice` would not, so that the rows are aligned for their type.
  const bytes = Uint8Array.prototype.slice.call(packed, HEAD_BYTES, jsonAt).buffer;
  const rows =
    width === 1
      ? new Uint8Array(bytes)
      : width === 2
        ? new Uint16Array(bytes)
        : width === 4
          ? new Uint32Array(bytes)
          : new Float64Array(bytes);
  const json = new TextDecoder().decode(packed.subarray(jsonAt, jsonAt + view.getUint32(16, true)));
  const head: Head = { form: view.getUint8(0), width, least: view.getFloat64(8, true), nulls: view.getUint8(2) === 1 };
  return { head, rows, json };
}
