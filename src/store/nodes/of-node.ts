/** SQL for rows `p` that a node maintains; its id is the first argument. In a local database there is no table of nodes. */
export const ALONE = "p.node is ?1";
/** A node's own rows, and those of nodes that no longer exist. */
export const AMONG_NODES = `${ALONE} or p.node not in (select id from nodes)`;
