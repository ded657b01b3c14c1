import { useEffect, useState } from "react";

/** Layers that have a colour of their own; what comes after them shares the last. */
export const COLOURS = 8;

/** The class that gives an element a colour, by its number from 0. */
export const colourClass = (at: number): string => `series-${at + 1}`;

export type Tone = "good" | "warn" | "bad";

/** What a canvas draws with: it knows no style sheets. */
export interface Palette extends Readonly<Record<Tone, string>> {
  readonly series: readonly string[];
  readonly line: string;
  readonly muted: string;
}

/** The colours as they are now; they change with the theme. */
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
