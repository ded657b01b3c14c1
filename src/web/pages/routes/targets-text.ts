import type { TargetRow } from "./shapes.ts";

/** Targets as a person edits them: one per line, a model's name, or JSON if a target has more members. */
export function targetsText(targets: readonly unknown[]): string {
  return targets
    .map((target) => {
      const { model, weight, ...more } = target as TargetRow;
      return weight === 1 && Object.keys(more).length === 0 ? model : JSON.stringify(target);
    })
    .join("\n");
}

/** A line with broken JSON stays a string; the API's error names its index. */
export function readTargets(text: string): readonly unknown[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").map((line) => (line.startsWith("{") ? jsonOf(line) : line));
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
