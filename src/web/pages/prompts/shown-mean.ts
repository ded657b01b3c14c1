export function shownMean(score: { readonly count: number; readonly mean: number | null } | undefined): string {
  return score?.mean === undefined || score.mean === null ? "–" : `${Number(score.mean.toFixed(3))} (${score.count})`;
}
