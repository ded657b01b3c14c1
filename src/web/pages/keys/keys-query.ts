export type { ListedKey as KeyRow } from "../../../store/keys.ts";

export const KEYS = ["keys"] as const;
