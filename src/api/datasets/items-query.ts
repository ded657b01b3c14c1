import { Type } from "@sinclair/typebox";
import { GatewayError } from "../../errors.ts";

const LIMIT_MAX = 500;
const LIMIT_DEFAULT = 50;

export const ITEMS_QUERY = {
  limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT, description: `At most ${LIMIT_MAX}.` }),
  cursor: Type.String({ description: "`next_cursor` of the previous page." }),
  version: Type.Integer({ minimum: 0, description: "Default: the newest." }),
};

/** @throws GatewayError `invalid_body` if a parameter is out of range. */
export function readItemsQuery(request: Request, newest: number) {
  const query = new URL(request.url).searchParams;
  const number = (name: string, otherwise: number, [least, most]: readonly [number, number]) => {
    const text = query.get(name);
    if (text === null) return otherwise;
    if (!/^\d{1,9}$/.test(text) || Number(text) < least || Number(text) > most)
      throw new GatewayError("invalid_body", `${name} must be a whole number from ${least} to ${most}`, { path: name });
    return Number(text);
  };
  const after = query.get("cursor") ?? "";
  if (!/^[0-9a-f-]{0,36}$/.test(after))
    throw new GatewayError("invalid_body", "cursor: give the next_cursor of the page before", { path: "cursor" });
  return {
    limit: number("limit", LIMIT_DEFAULT, [1, LIMIT_MAX]),
    after,
    version: number("version", newest, [0, newest]),
  };
}
