import { createHash } from "node:crypto";

/** The property that marks a judge's own calls, which are never judged. Its value is the judge's name. */
export const JUDGE_PROPERTY = "Weir-Judge";

/** The fields that determine which records a judge checks. */
interface Sampling {
  readonly id: string;
  /** Percent. */
  readonly share: number;
}

/** Deterministic per record: the selection does not depend on when it is checked. */
export function isSampled({ id, share }: Sampling, requestId: string): boolean {
  const number = createHash("sha256").update(`${id} ${requestId}`).digest().readUInt32BE();
  return number / 2 ** 32 < share / 100;
}
