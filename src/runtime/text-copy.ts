/**
 * A copy of a part of a head, for keeping: the part itself is a reference to the entire head, with the keys in it.
 *
 * @param part - Latin-1.
 */
export const copyOf = (part: string): string => Buffer.from(part, "latin1").toString("latin1");
