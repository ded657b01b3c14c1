import type { Tone } from "../../parts/badge.tsx";
import type { DomainState } from "./search.ts";

export interface DomainRow {
  readonly domain: string;
  readonly state: DomainState;
  readonly requests_today: number;
  /** Null without a limit. */
  readonly remaining_today: number | null;
  readonly resets_at: string;
  readonly source: "decision" | "configuration" | "provider" | null;
  readonly private: boolean;
}

export const DOMAINS = ["domains"] as const;

export const TONES: Readonly<Record<DomainState, Tone>> = {
  pending: "accent",
  unapproved: "warn",
  denied: "bad",
  revoked: "warn",
  approved: "good",
};
