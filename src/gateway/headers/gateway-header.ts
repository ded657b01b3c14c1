import { MASKED, maskPath, maskText } from "../../masking/mask.ts";
import { isSecretName } from "../../masking/names.ts";

export interface GatewayHeader {
  readonly name: string;
  /** The name after `gateway-`, lower case. */
  readonly setting: string;
  /** As sent; masked if it is a label. */
  readonly value: string;
  /** A label: it has no meaning for the gateway itself. */
  readonly isLabel: boolean;
  /** May be cached: a header of this kind holds no credential and is recorded as it is. */
  readonly isKept: boolean;
}

/** The value of a `Gateway-*` header that is not a label, as it may be recorded. */
export function recordedValue(setting: string, value: string): string {
  if (setting === "target-url") return maskPath(value);
  if (setting === "fallbacks") return MASKED; // its headers hold keys of other providers
  return !setting.startsWith("cache-") && isSecretName(setting) ? MASKED : maskText(value);
}
