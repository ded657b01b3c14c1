import { GatewayError } from "../../errors.ts";
import { hint, quote } from "../../filter/spelling.ts";

export const FIELDS = ["input", "output", "messages", "reference", "model"] as const;

export const PROPERTY = "property.";

export const FIELD = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** @throws GatewayError `invalid_body` when a prompt names an unknown field, or no field of the response. */
export function refuseUnknownFields(prompt: string): void {
  const names = [...prompt.matchAll(FIELD)].map(([, name]) => name!);
  const known = [...FIELDS, `${PROPERTY}<Name>`];
  for (const name of names) {
    const isProperty = name.startsWith(PROPERTY) && name.length > PROPERTY.length;
    if (isProperty || (FIELDS as readonly string[]).includes(name)) continue;
    throw new GatewayError("invalid_body", `prompt: there is no field ${quote(name)}; ${hint(name, known)}`, {
      path: "prompt",
    });
  }
  if (names.includes("output")) return;
  throw new GatewayError("invalid_body", "prompt: it does not show the response; write {{output}} where it belongs", {
    path: "prompt",
  });
}
