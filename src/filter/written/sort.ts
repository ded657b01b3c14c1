import { GatewayError } from "../../errors.ts";
import { SORT_KEYS } from "../sort.ts";
import { hint, quote } from "../spelling.ts";

const SORT_SHORT: Readonly<Record<string, string>> = {
  created: "created_at",
  time: "created_at",
  tokens: "total_tokens",
  user: "user_id",
  model: "body_model",
  first_token: "time_to_first_token",
};

/**
 * Converts `cost:desc,created:asc` to the API's form. The default direction is `desc`. @throws GatewayError `sort_invalid`
 */
export function readWrittenSort(text: string): Readonly<Record<string, unknown>> {
  const sort: Record<string, unknown> = {};
  for (const term of text.split(",")) {
    const [, name = "", direction = "desc"] = /^(.*?)(?::(\w*))?$/.exec(term.trim()) ?? [];
    if (direction !== "asc" && direction !== "desc")
      throw new GatewayError("sort_invalid", `a direction is asc or desc, not ${quote(direction)}`);
    const [, property] = /^property\.(.+)$/.exec(name) ?? [];
    const key = Object.hasOwn(SORT_SHORT, name) ? SORT_SHORT[name]! : name;
    if (property !== undefined)
      sort["properties"] = { ...(sort["properties"] as object | undefined), [property]: direction };
    else if (key === "random") sort["random"] = true;
    else if (SORT_KEYS.includes(key) && key !== "properties" && key !== "values") sort[key] = direction;
    else throw new GatewayError("sort_invalid", `there is no sort key ${quote(name)}; ${hint(name, SORT_KEYS)}`);
  }
  return sort;
}
