import { Buffer } from "node:buffer";
import { type JsonObject, setMember } from "./json.ts";

/** Maximum size of a text field; larger fields are files without a name. */
const FIELD_BYTES_MAX = 100_000;
/** Maximum size of a field's headers; the patterns below may check each character several times. */
const HEADER_BYTES_MAX = 4_096;
/** Maximum parts; a form with more is not a model request. */
const PARTS_MAX = 100;

/**
 * The text fields of a `multipart/form-data` body, for example `model` of a transcription, without files; `undefined` if the
 * bytes are not such a form. From a truncated form, the fields before the cut.
 */
export function formFields(bytes: Buffer): JsonObject | undefined {
  const boundary = /^--([^\r\n]{1,200})\r\n/.exec(bytes.toString("latin1", 0, 204))?.[1];
  if (boundary === undefined) return undefined;
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  const fields: JsonObject = {};
  let start = boundary.length + 4;
  for (let part = 0; part < PARTS_MAX; part++) {
    const end = bytes.indexOf(delimiter, start);
    if (end === -1) break;
    takeField(fields, bytes.subarray(start, end));
    start = end + delimiter.byteLength + 2;
  }
  return fields;
}

function takeField(fields: JsonObject, part: Buffer): void {
  const headersEnd = part.indexOf("\r\n\r\n");
  if (headersEnd === -1 || headersEnd > HEADER_BYTES_MAX || part.byteLength - headersEnd > FIELD_BYTES_MAX) return;
  const headers = part.toString("utf8", 0, headersEnd);
  const name = /^content-disposition:[^\r\n]*?[;\s]name="([^"\r\n]*)"/im.exec(headers)?.[1];
  if (name === undefined || name === "" || /[;\s]filename\*?=/i.test(headers)) return;
  setMember(fields, name.replace(/\[\]$/, ""), part.toString("utf8", headersEnd + 4));
}
