/** How the sources of ratings begin; the id or name of who gave them follows. */
export const REVIEWER = "reviewer:";
export const JUDGE = "judge:";
export const PLUGIN = "plugin:";
