import type { NextReview, ShownAnswer } from "../../../api/reviews/reviewing.ts";
import type { ShownReview } from "../../../api/reviews/reviews.ts";

export type { GivenScore, ReviewScore } from "../../../store/reviews/review-rule.ts";
export type { NextReview, ShownAnswer, ShownReview };

export const REVIEWS = ["reviews"] as const;
export const reviewPath = (id: string) => `/v1/reviews/${encodeURIComponent(id)}`;
