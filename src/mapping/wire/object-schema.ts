import type { Json } from "../../plugin-host/contract.ts";
import { isObject } from "../json.ts";

/** The schema of a tool's input, for APIs that require `type: "object"`. */
export function objectSchema(parameters: Json): Json {
  if (!isObject(parameters)) return { type: "object", properties: {} };
  return parameters["type"] === undefined ? { type: "object", properties: {}, ...parameters } : parameters;
}
