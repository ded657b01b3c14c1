import { scored } from "../../metrics/filter.ts";
import { scoreName, scoreTitle } from "../../parts/score-name.ts";
import type { Panel } from "../dashboards/shapes.ts";

/** Characters of a name in a title, which is limited to a hundred. */
const NAME_MAX = 60;
const LEFT = { x: 0, w: 6, h: 4 } as const;
const RIGHT = { ...LEFT, x: 6 } as const;

/** The place of the distribution, which is not a panel of a dashboard. */
export const DISTRIBUTION = { ...RIGHT, y: 4 } as const;

/** The panels of a score; each can be added to a dashboard unchanged. */
export function panelsOf(score: string, by: string | undefined): readonly Panel[] {
  const short = score.length > NAME_MAX ? `${score.slice(0, NAME_MAX - 1)}…` : score;
  const title = scoreTitle(short);
  const common = { filter: scored(score), range: null, thresholds: [], groups: 7 };
  const split_by = by === undefined ? [] : [by];
  const metric = `score:${score}` as const;
  const table = (what: string, group: string): Omit<Panel, "place"> => ({
    ...common,
    ...{
      title: `${title} by ${what}`,
      kind: "table",
      metrics: [metric, "requests"],
      split_by: [group],
      groups: 50,
    },
  });
  return [
    { ...common, title: `${title}, mean`, kind: "line", metrics: [metric], split_by, place: { ...LEFT, y: 0 } },
    {
      ...common,
      ...{
        title: `Requests with ${scoreName(short)}`,
        kind: "bar",
        metrics: ["requests"],
        split_by,
        place: { ...RIGHT, y: 0 },
      },
    },
    { ...table("model", "model"), place: { ...LEFT, y: 4 } },
    { ...table("prompt version", "prompt_version"), place: { ...LEFT, y: 8 } },
    { ...table("key", "key"), place: { ...RIGHT, y: 8 } },
  ];
}
