/** Whatever is asked of the cache. */
export const CACHE = ["cache"] as const;
