import { GatewayError } from "../../../errors.ts";
import type { Loss } from "../../../plugin-host/contract.ts";
import type { Candidate, Walk } from "../../../routing/walk.ts";

/** A candidate as messages name it. */
export const labelOf = ({ target, model }: Candidate): string => `${target.provider.name.toLowerCase()}/${model}`;

/** There is no candidate to begin with. */
export function nothingLeft({ unmet }: Walk): GatewayError {
  if (unmet.length === 0) return new GatewayError("credential_locked");
  const what = "the conditions of its route exclude this request from every target";
  return new GatewayError("no_credential", `${what}: ${unmet.join(", ")}; add a target without "when"`);
}

export function invalid({ path, why = "cannot be read" }: Loss): GatewayError {
  return new GatewayError("invalid_body", path === "" ? why : `${path}: ${why}`, { path });
}

export function untranslatable({ path, why }: Loss, candidate: Candidate): GatewayError {
  const reason = why ?? "the target cannot take it";
  const message = path === "" ? `${labelOf(candidate)}: ${reason}` : `${path}: ${reason} (${labelOf(candidate)})`;
  return new GatewayError("untranslatable", message, path === "" ? {} : { path });
}
