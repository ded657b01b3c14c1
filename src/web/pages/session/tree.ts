/** The members of a request that a session's tree shows. */
export interface Step {
  readonly request_id: string;
  readonly session_path: string | null;
  /** ISO 8601. */
  readonly created_at: string;
  /** Milliseconds. */
  readonly latency: number | null;
  readonly cost: number | null;
  readonly total_tokens: number | null;
  readonly status: number | null;
  readonly outcome: string | null;
  /** The request whose span contains this one, according to its trace. */
  readonly within?: string | undefined;
}

/** A request, or a path segment with everything below it. */
export interface TreeNode<S extends Step> {
  /** The path so far, or the request's id: unique in the tree. */
  readonly key: string;
  readonly name: string;
  readonly depth: number;
  readonly step: S | undefined;
  readonly children: readonly TreeNode<S>[];
  readonly totals: Totals;
}

export interface Totals {
  readonly requests: number;
  readonly errors: number;
  readonly cost: number | null;
  readonly tokens: number | null;
  /** Milliseconds since 1970, from the first request's start to the last one's end. */
  readonly from: number;
  readonly to: number;
}

interface Branch<S extends Step> {
  readonly path: string;
  readonly name: string;
  readonly branches: Map<string, Branch<S>>;
  readonly steps: S[];
}

/** Enclosed steps, by the enclosing step's request. */
type Within<S> = ReadonlyMap<string, readonly S[]>;

/** Path segments that become levels; deeper ones belong to the last. */
const DEPTH_MAX = 32;

/**
 * A session's requests by their traces, and by their paths: `/plan/search` is below `/plan`. Requests without either are at
 * the top. Everything is sorted by its start.
 */
export function sessionTree<S extends Step>(steps: readonly S[]): TreeNode<S>[] {
  const root: Branch<S> = { path: "", name: "", branches: new Map(), steps: [] };
  const ids = new Set(steps.map(({ request_id }) => request_id));
  const isWithin = ({ within }: S) => within !== undefined && ids.has(within);
  const within: Within<S> = Map.groupBy(steps.filter(isWithin), (step) => step.within!);
  for (const step of steps.filter((each) => !isWithin(each))) {
    let at = root;
    for (const name of segmentsOf(step.session_path)) {
      let next = at.branches.get(name);
      if (next === undefined) {
        next = { path: `${at.path}/${name}`, name, branches: new Map(), steps: [] };
        at.branches.set(name, next);
      }
      at = next;
    }
    at.steps.push(step);
  }
  return childrenOf(root, 0, within);
}

function segmentsOf(path: string | null): string[] {
  const segments = (path ?? "").split("/").filter((segment) => segment !== "");
  return segments.length <= DEPTH_MAX
    ? segments
    : [...segments.slice(0, DEPTH_MAX - 1), segments.slice(DEPTH_MAX - 1).join("/")];
}

function childrenOf<S extends Step>(branch: Branch<S>, depth: number, within: Within<S>): TreeNode<S>[] {
  const branches = [...branch.branches.values()].map((each): TreeNode<S> => {
    const children = childrenOf(each, depth + 1, within);
    return { key: each.path, name: each.name, depth, step: undefined, children, totals: added(children) };
  });
  return inOrder([...branch.steps.map((step) => nodeOf(step, depth, within)), ...branches]);
}

function nodeOf<S extends Step>(step: S, depth: number, within: Within<S>): TreeNode<S> {
  const inner = within.get(step.request_id) ?? [];
  // Below the maximum depth, steps are put side by side.
  const below = depth < DEPTH_MAX ? depth + 1 : depth;
  const children = inOrder(inner.map((each) => nodeOf(each, below, within)));
  const totals = added([{ totals: totalsOf(step) }, ...children]);
  return { key: step.request_id, name: step.request_id, depth, step, children, totals };
}

function inOrder<S extends Step>(nodes: TreeNode<S>[]): TreeNode<S>[] {
  return nodes.sort((a, b) => a.totals.from - b.totals.from || (a.key < b.key ? -1 : 1));
}

function totalsOf(step: Step): Totals {
  const from = Date.parse(step.created_at);
  return {
    requests: 1,
    errors: (step.status ?? 0) >= 400 && step.outcome !== "refused" ? 1 : 0,
    cost: step.cost,
    tokens: step.total_tokens,
    from,
    to: from + (step.latency ?? 0),
  };
}

function added(nodes: readonly { readonly totals: Totals }[]): Totals {
  const all = nodes.map(({ totals }) => totals);
  const sum = (pick: (totals: Totals) => number | null) =>
    all.reduce<number | null>((total, each) => (pick(each) === null ? total : (total ?? 0) + pick(each)!), null);
  return {
    requests: sum(({ requests }) => requests) ?? 0,
    errors: sum(({ errors }) => errors) ?? 0,
    cost: sum(({ cost }) => cost),
    tokens: sum(({ tokens }) => tokens),
    from: Math.min(...all.map(({ from }) => from)),
    to: Math.max(...all.map(({ to }) => to)),
  };
}

/** Only the requests, in order of time. */
export function inTime<S extends Step>(steps: readonly S[]): TreeNode<S>[] {
  return childrenOf({ path: "", name: "", branches: new Map(), steps: [...steps] }, 0, new Map());
}

/** Totals of the complete session. */
export function sessionTotals(nodes: readonly TreeNode<Step>[]): Totals | undefined {
  return nodes.length === 0 ? undefined : added(nodes);
}

/** The visible nodes, top to bottom; the nodes in `closed` hide what is below them. */
export function visible<S extends Step>(nodes: readonly TreeNode<S>[], closed: ReadonlySet<string>): TreeNode<S>[] {
  return nodes.flatMap((node) => [node, ...(closed.has(node.key) ? [] : visible(node.children, closed))]);
}
