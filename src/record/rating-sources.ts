/** Prefixes of rating sources; the id or name of the author follows. */
export const REVIEWER = "reviewer:";
export const JUDGE = "judge:";
export const PLUGIN = "plugin:";
