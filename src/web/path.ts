/** How names stand in the path of a page's address. */

/** Browsers fold `.` and `..` in a path away, however they are escaped: these two names get a mark, and so do those that look marked. */
export const segmentOf = (name: string): string => (/^~*\.\.?$/.test(name) ? `~${name}` : name);

/** The name that `segmentOf` spelled. */
export const nameOf = (segment: string): string => (/^~+\.\.?$/.test(segment) ? segment.slice(1) : segment);

/** A path that can be decoded: one whose escapes are none is taken as the text that it is. */
export function readablePath(path: string): string {
  try {
    decodeURIComponent(path);
    return path;
  } catch {
    return path.replaceAll("%", "%25");
  }
}
