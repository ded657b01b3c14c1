/** How names are written in the path of a page's address. */

/** Browsers resolve `.` and `..` in a path, however they are escaped: these two names get a mark, and so do names that look marked. */
export const segmentOf = (name: string): string => (/^~*\.\.?$/.test(name) ? `~${name}` : name);

/** The name that `segmentOf` encoded. */
export const nameOf = (segment: string): string => (/^~+\.\.?$/.test(segment) ? segment.slice(1) : segment);

/** A path that can be decoded: if its escapes are invalid, it is taken literally. */
export function readablePath(path: string): string {
  try {
    decodeURIComponent(path);
    return path;
  } catch {
    return path.replaceAll("%", "%25");
  }
}
