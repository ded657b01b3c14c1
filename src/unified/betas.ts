import type { ShapeAt } from "../plugin-host/contract.ts";

export const BETA_HEADER = "anthropic-beta";

/** Values of `anthropic-beta` as a platform takes them: those that it knows, under its own names. */
export function betasAt(betas: readonly string[], { betas: names }: Pick<ShapeAt, "betas">): readonly string[] {
  if (names === undefined || betas.length === 0) return betas;
  const taken = betas.flatMap((beta) => (Object.hasOwn(names, beta) ? [names[beta]!] : []));
  return [...new Set(taken)];
}
