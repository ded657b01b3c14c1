import { GatewayError } from "../../errors.ts";
import { isUuid } from "../../runtime/uuid.ts";
import type { GatewayHeader } from "./gateway-header.ts";

/** The `Gateway-*` headers of one request that the gateway itself acts on. */
export interface Settings {
  readonly targetUrl: string | undefined;
  readonly targetProvider: string | undefined;
}

type Check = (value: string) => string | undefined;

const isFlag: Check = (value) => (/^(?:true|false)$/i.test(value) ? undefined : 'must be "true" or "false"');
const isCount =
  (least: number, most: number): Check =>
  (value) =>
    /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `must be a whole number from ${least} to ${most}`;

/** Headers with restricted values. A header that is not here accepts any text. */
const CHECKS: Readonly<Record<string, Check>> = {
  "target-provider": (value) => (/^[\w .:/-]{1,100}$/.test(value) ? undefined : "must be a provider's name"),
  "omit-request": isFlag,
  "omit-response": isFlag,
  "cache-enabled": isFlag,
  "cache-read": isFlag,
  "cache-save": isFlag,
  "cache-bucket-max-size": isCount(1, 20),
  "property-": () => "needs a name after Gateway-Property-",
  "prompt-input-": () => "needs a name after Gateway-Prompt-Input-",
};

/** Headers with a single value; two different ones are a contradiction. */
const ONCE: ReadonlySet<string> = new Set([
  "target-url",
  "target-provider",
  "model",
  "fallbacks",
  "unsupported",
  "body-mapping",
  "provider-key",
  "cache-enabled",
  "cache-read",
  "cache-save",
  "cache-seed",
  "cache-bucket-max-size",
]);

/** The id that the client chose for its request, in lower case. @throws GatewayError `invalid_header`. */
export function readRequestId(headers: readonly GatewayHeader[]): string | undefined {
  let id: string | undefined;
  for (const { name, setting, value } of headers) {
    if (setting !== "request-id") continue;
    const lower = value.toLowerCase();
    if (id !== undefined && lower !== id)
      throw new GatewayError("invalid_header", `${name} was sent twice with different values`);
    if (!isUuid(lower)) throw new GatewayError("invalid_header", `${name} must be a UUID`);
    id = lower;
  }
  return id;
}

/** @throws GatewayError `invalid_header` if a value is invalid: nothing is ignored silently. */
export function readSettings(headers: readonly GatewayHeader[]): Settings {
  let targetUrl: string | undefined;
  let targetProvider: string | undefined;
  for (const { name, setting, value } of headers) {
    const wrong = Object.hasOwn(CHECKS, setting) ? CHECKS[setting]!(value) : undefined;
    if (wrong !== undefined) throw new GatewayError("invalid_header", `${name} ${wrong}`);
    if (setting === "target-url") targetUrl = value;
    else if (setting === "target-provider") targetProvider = value;
  }
  refuseContradictions(headers);
  return { targetUrl, targetProvider };
}

function refuseContradictions(headers: readonly GatewayHeader[]): void {
  for (const [at, { name, setting, value }] of headers.entries()) {
    if (!ONCE.has(setting) && !setting.startsWith("provider-key-")) continue;
    const other = headers.findIndex((one) => one.setting === setting);
    if (other === at || headers[other]!.value === value) continue;
    const code = setting === "target-url" ? "invalid_target" : "invalid_header";
    throw new GatewayError(code, `${name} was sent twice with different values`);
  }
}

/** Whether the client wants these bodies kept out of every file; also read when its other headers are refused. */
export function readOmissions(headers: readonly GatewayHeader[]): { request: boolean; response: boolean } {
  const isGiven = (setting: string) =>
    headers.some((one) => one.setting === setting && one.value.toLowerCase() !== "false");
  return { request: isGiven("omit-request"), response: isGiven("omit-response") };
}
