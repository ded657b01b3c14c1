/** Prefix of the keys of all cache queries. */
export const CACHE = ["cache"] as const;
