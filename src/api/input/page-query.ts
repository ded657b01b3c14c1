import { Type } from "@sinclair/typebox";
import { GatewayError } from "../../errors.ts";

const ROWS_MAX = 1_000;
const ROWS_DEFAULT = 100;

/** The parameters that `readPage` reads. */
export const PAGE_QUERY = {
  limit: Type.Integer({ minimum: 0, maximum: ROWS_MAX, default: ROWS_DEFAULT, description: `At most ${ROWS_MAX}.` }),
  offset: Type.Integer({ minimum: 0, default: 0, description: "Rows to skip." }),
};

/**
 * The page of a list that a GET requests.
 *
 * @throws GatewayError `invalid_body` if a number is out of range.
 */
export function readPage(request: Request): { readonly limit: number; readonly offset: number } {
  const query = new URL(request.url).searchParams;
  const read = (name: string, fallback: number, most: number) => {
    const text = query.get(name);
    if (text === null) return fallback;
    if (!/^\d{1,9}$/.test(text) || Number(text) > most)
      throw new GatewayError("invalid_body", `${name} must be a whole number from 0 to ${most}`, { path: name });
    return Number(text);
  };
  return { limit: read("limit", ROWS_DEFAULT, ROWS_MAX), offset: read("offset", 0, 999_999_999) };
}
