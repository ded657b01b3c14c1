/** In matching order: Edge also claims to be Chrome, and Chrome claims to be Safari. */
const BROWSERS = [
  ["Edg", "Edge"],
  ["OPR", "Opera"],
  ["Firefox", "Firefox"],
  ["HeadlessChrome", "Chrome"],
  ["Chrome", "Chrome"],
  ["Safari", "Safari"],
] as const;
const SYSTEMS = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["Linux", "Linux"],
] as const;
const SHOWN_CHARS = 40;

/** The browser's common name from its `User-Agent`; for other programs the beginning of the text. */
export function deviceOf(agent: string | null): string {
  if (agent === null) return "An unknown program";
  const browser = BROWSERS.find(([mark]) => agent.includes(`${mark}/`))?.[1];
  const system = SYSTEMS.find(([mark]) => agent.includes(mark))?.[1];
  if (browser === undefined) return agent.slice(0, SHOWN_CHARS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
