import { GatewayError } from "../errors.ts";
import { storable } from "../filter/values.ts";

/** A name in an address, which is percent-encoded there. @throws GatewayError `not_found` where it is badly so. */
export function pathName(segment: string): string {
  try {
    return storable(decodeURIComponent(segment));
  } catch (cause) {
    throw new GatewayError("not_found", "a name in the address is not percent-encoded UTF-8", { cause });
  }
}
