import { MASKED, maskPath, maskText } from "../../masking/mask.ts";
import { isSecretName } from "../../masking/names.ts";

export interface GatewayHeader {
  readonly name: string;
  /** What follows `gateway-`, lower case. */
  readonly setting: string;
  /** As sent; of a label masked. */
  readonly value: string;
  /** Says nothing to the gateway itself. */
  readonly isLabel: boolean;
  /** Is remembered: one of its kind holds no credential, and is recorded as it is. */
  readonly isKept: boolean;
}

/** The value of a `Gateway-*` header that is no label, as it may be recorded. */
export function recordedValue(setting: string, value: string): string {
  if (setting === "target-url") return maskPath(value);
  if (setting === "fallbacks") return MASKED; // its headers hold keys of other providers
  return !setting.startsWith("cache-") && isSecretName(setting) ? MASKED : maskText(value);
}
