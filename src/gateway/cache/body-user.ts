import { userIdIn } from "../../mapping/user-id.ts";

/** The end user that a JSON body names; undefined where it names none, or is no JSON. Never throws. */
export function bodyUser(body: Uint8Array): string | undefined {
  try {
    return userIdIn(JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8")));
  } catch {
    return undefined; // another kind of body, or one nested deeper than a parser goes
  }
}
