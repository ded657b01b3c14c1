const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A request id as bytes: a UUID in lower case, as all ids normally are, takes 16. */
export function idBytes(id: string): Buffer {
  return Buffer.from(idHex(id), "hex");
}

/** The bytes of several ids, 16 each; undefined if one of them is no UUID. */
export function idsBytes(ids: readonly string[]): Buffer | undefined {
  return ids.every((id) => UUID.test(id)) ? Buffer.from(ids.join("").replaceAll("-", ""), "hex") : undefined;
}

/** An id as hexadecimal text, for `unhex` in a list. */
function idHex(id: string): string {
  return UUID.test(id) ? id.replaceAll("-", "") : Buffer.from(id).toString("hex");
}

export function idOf(bytes: Uint8Array): string {
  if (bytes.length !== 16) return Buffer.from(bytes).toString("utf8");
  const hex = Buffer.from(bytes).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A list of ids for `select unhex(value) from json_each(?)`. */
export function idList(ids: readonly string[]): string {
  return JSON.stringify(ids.map(idHex));
}

export const ROWS_OF = "request_id in (select unhex(value) from json_each(?))";
