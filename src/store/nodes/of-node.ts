/** Rows `p` that a node sees to; its id is the first argument. In a database of one's own there is no table of nodes. */
export const ALONE = "p.node is ?1";
/** Its own, which no other node shares, and those of nodes that are gone for good. */
export const AMONG_NODES = `${ALONE} or p.node not in (select id from nodes)`;
