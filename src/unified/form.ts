/** A form field without a file, as in the body. */
interface FormField {
  readonly name: string;
  readonly value: string;
  /** Where its part begins, with the boundary. */
  readonly part: number;
  /** Of the value. */
  readonly start: number;
  readonly end: number;
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** The boundary of `multipart/form-data`; undefined for any other body. */
export function boundaryOf(contentType: string): string | undefined {
  if (!/^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType)) return undefined;
  const found = /;\s*boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(contentType);
  return found?.[1] ?? found?.[2];
}

/**
 * The fields of a form without files. Files are skipped without reading them.
 *
 * @returns undefined if the body is not a form with this boundary.
 */
export function formFields(bytes: Uint8Array, boundary: string): FormField[] | undefined {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mark = Buffer.from(`--${boundary}`);
  const next = Buffer.from(`\r\n--${boundary}`);
  const fields: FormField[] = [];
  let at = body.indexOf(mark);
  if (at !== 0 && (at < 0 || body.toString("latin1", at - 2, at) !== "\r\n")) return undefined;
  for (;;) {
    const part = at;
    at += mark.length;
    if (body.toString("latin1", at, at + 2) === "--") return fields;
    const headEnd = body.indexOf(HEAD_END, at);
    // A part without a header begins with the empty line that ends its head.
    const end = headEnd < 0 ? -1 : body.indexOf(next, headEnd + 2);
    if (end < 0) return undefined;
    const head = body.toString("utf8", at, headEnd);
    const start = headEnd + HEAD_END.length;
    const name = fieldName(head);
    if (name !== undefined && start <= end)
      fields.push({ name, value: body.toString("utf8", start, end), part, start, end });
    at = end + 2;
  }
}

/** The form without a field. */
export function withoutField(bytes: Uint8Array, boundary: string, name: string): Uint8Array | undefined {
  const found = formFields(bytes, boundary)?.filter((field) => field.name === name);
  if (found === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { part, end } of found) {
    pieces.push(bytes.subarray(from, part));
    from = end + 2;
  }
  return Buffer.concat([...pieces, bytes.subarray(from)]);
}

/** The form with a new value for a field; a missing field is added before the others. */
export function withField(bytes: Uint8Array, boundary: string, name: string, value: string): Uint8Array | undefined {
  const fields = formFields(bytes, boundary);
  if (fields === undefined) return undefined;
  const found = fields.filter((field) => field.name === name);
  if (found.length === 0) {
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    return Buffer.concat([Buffer.from(part), bytes]);
  }
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { start, end } of found) {
    pieces.push(bytes.subarray(from, start), Buffer.from(value));
    from = end;
  }
  return Buffer.concat([...pieces, bytes.subarray(from)]);
}

function fieldName(head: string): string | undefined {
  const line = head.split("\r\n").find((each) => /^content-disposition\s*:/i.test(each));
  if (line === undefined || /;\s*filename\*?=/i.test(line)) return undefined;
  const found = /;\s*name=(?:"([^"]*)"|([^;\s]+))/i.exec(line);
  return found?.[1] ?? found?.[2];
}
