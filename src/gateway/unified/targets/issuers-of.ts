import type { IsIssuer } from "../../../routing/affinity.ts";
import { callOf, shapesFor } from "../../../routing/endpoint.ts";
import type { Ordered } from "../../../routing/order.ts";
import { isIssuedBy, issuerOf, issuerOfMemory } from "../../../unified/issuer.ts";
import { shapeNameOf } from "../../../unified/outbound.ts";
import type { TargetsWanted } from "./targets-wanted.ts";

/**
 * Who issued the state in a request, by priority: the issuer of the response that it continues from, then the issuers of its
 * call state, the latest first.
 *
 * @param first - the target that would be called first.
 */
export function issuersOf(
  first: Ordered | undefined,
  { earlier, states = {}, description, admission }: TargetsWanted,
): readonly IsIssuer[] {
  const tests: IsIssuer[] = [];
  if (earlier?.isProviders)
    tests.push(
      ({ provider }, credential) =>
        provider.name === earlier.provider &&
        (credential === "client" ? "client" : credential.name) === earlier.credential,
    );
  // State of unknown origin is left to the first target if that speaks the client's API itself.
  const { endpoint } = admission;
  if (description.issuers.length === 0 && Object.keys(states).length === 0) return tests;
  const isOwnShape = first !== undefined && "shape" in endpoint && speaks(first, endpoint.shape, description.stream);
  const named = description.issuers.flatMap(({ issuer, certain }) => (certain || !isOwnShape ? issuer : []));
  const forgotten = Object.values(states).flatMap((memory) => issuerOfMemory(memory) ?? []);
  for (const issuer of [...named, ...forgotten.reverse()])
    tests.push((target, credential) => isIssuedBy(issuer, issuerOf(target, credential)));
  return tests;
}

/** How a target speaks the client's shape in a call; undefined if it does not. */
export function shapeAt({ provider, model, credentials }: Ordered, shape: string, stream: boolean) {
  const call = callOf(provider, credentials[0], { model, stream });
  return shapesFor(provider, call).find((at) => shapeNameOf(at) === shape);
}

const speaks = (target: Ordered, shape: string, stream: boolean) => shapeAt(target, shape, stream) !== undefined;
