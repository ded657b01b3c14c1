import { createHash } from "node:crypto";

/**
 * Orders members by weighted rendezvous hashing: the same `seed` gives the same order on every node and after a
 * restart, and adding or removing a member moves only its own seeds. Members of weight 0 come last, as written.
 *
 * @param nameOf - the unique name of a member; the same on every node.
 */
export function rendezvous<T>(
  members: readonly T[],
  seed: string,
  nameOf: (member: T) => string,
  weightOf: (member: T) => number,
): T[] {
  return ranked(members, weightOf, (member) => uniform(`${seed}\n${nameOf(member)}`));
}

/** Orders members at random by their weights; those of weight 0 come last, as written. @param random - from 0 to 1, as `Math.random`. */
export function shuffled<T>(members: readonly T[], weightOf: (member: T) => number, random: () => number): T[] {
  return ranked(members, weightOf, () => 1 - random());
}

/** `-weight / ln(u)` with u uniform in (0, 1] makes a member the largest with a probability equal to its share of the weight. */
function ranked<T>(members: readonly T[], weightOf: (member: T) => number, draw: (member: T) => number): T[] {
  const scored = members.map((member) => {
    const weight = weightOf(member);
    return { member, score: weight > 0 ? -weight / Math.log(Math.min(draw(member), 1 - Number.EPSILON)) : -1 };
  });
  return scored.sort((a, b) => b.score - a.score).map(({ member }) => member);
}

/** A pseudo-random number in (0, 1], deterministic for a text. */
function uniform(text: string): number {
  const digest = createHash("sha256").update(text).digest();
  return (digest.readUIntBE(0, 6) + 1) / 2 ** 48;
}
