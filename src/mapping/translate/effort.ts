import type { Effort } from "../../plugin/contract.ts";

/** All efforts, least first. */
export const EFFORTS: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

export const isEffort = (text: string): text is Effort => (EFFORTS as readonly string[]).includes(text);
