import { useEffect, useState } from "react";

/** Layers with a colour of their own; all further layers share the last colour. */
export const COLOURS = 8;

/** The class that sets an element's colour, by its index from 0. */
export const colourClass = (at: number): string => `series-${at + 1}`;

export type Tone = "good" | "warn" | "bad";

/** Colours for a canvas, which cannot use style sheets. */
export interface Palette extends Readonly<Record<Tone, string>> {
  readonly series: readonly string[];
  readonly line: string;
  readonly muted: string;
}

/** The current colours; they change with the theme. */
export function usePalette(): Palette {
  const [palette, setPalette] = useState(readPalette);
  useEffect(() => {
    const read = () => setPalette(readPalette());
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", read);
    const chosen = new MutationObserver(read);
    chosen.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => {
      system.removeEventListener("change", read);
      chosen.disconnect();
    };
  }, []);
  return palette;
}

function readPalette(): Palette {
  const probe = document.createElement("span");
  document.body.append(probe);
  const read = (className: string) => {
    probe.className = className;
    return getComputedStyle(probe).color;
  };
  const series = Array.from({ length: COLOURS }, (_, at) => read(colourClass(at)));
  const tones = { good: read("tone-good"), warn: read("tone-warn"), bad: read("tone-bad") };
  const palette = { series, line: read("chart-line"), muted: read("muted"), ...tones };
  probe.remove();
  return palette;
}
