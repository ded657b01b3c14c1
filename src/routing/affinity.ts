import type { Credential } from "./credential.ts";
import type { Ordered } from "./order.ts";

/** Whether a target, with this credential, issued the state in a request. */
export type IsIssuer = (target: Ordered, credential: Credential | "client") => boolean;

/**
 * The first target that issued the state in a request, with any of its credentials.
 *
 * @param hasOwnKey - whether the client's own key serves a target.
 */
export function issuingTarget(
  targets: readonly Ordered[],
  isIssuer: IsIssuer,
  hasOwnKey: (target: Ordered) => boolean,
): Ordered | undefined {
  return targets.find(
    (target) =>
      target.skipped === undefined &&
      (target.credentials.some((credential) => isIssuer(target, credential)) ||
        (hasOwnKey(target) && isIssuer(target, "client"))),
  );
}

/** Puts the issuer first if there is a choice: other targets would lose its state. */
export function withAffinity(targets: readonly Ordered[], issuer: Ordered): readonly Ordered[] {
  if (targets.filter(({ skipped }) => skipped === undefined).length < 2) return targets;
  return [{ ...issuer, reason: "affinity" }, ...targets.filter((target) => target !== issuer)];
}
