import { GatewayError } from "../../errors.ts";
import type { Loss } from "../../plugin-host/contract.ts";
import type { Candidate, Walk } from "../../routing/walk.ts";

/** A candidate as messages name it. */
export const labelOf = ({ target, model }: Candidate): string => `${target.provider.name.toLowerCase()}/${model}`;

export function nothingLeft(walk: Walk): GatewayError {
  return walk.candidates.length === 0
    ? new GatewayError("credential_locked")
    : new GatewayError("no_credential", "no target of this route is open to this request");
}

export function invalid({ path, why = "cannot be read" }: Loss): GatewayError {
  return new GatewayError("invalid_body", path === "" ? why : `${path}: ${why}`, { path });
}

export function untranslatable({ path, why }: Loss, candidate: Candidate): GatewayError {
  const reason = why ?? "the target cannot take it";
  const message = path === "" ? `${labelOf(candidate)}: ${reason}` : `${path}: ${reason} (${labelOf(candidate)})`;
  return new GatewayError("untranslatable", message, path === "" ? {} : { path });
}
