/** Main thread, as the jobs see it. */
export type HostFunctions = {
  ports(): ListenerPorts | Promise<ListenerPorts>;
  /** Begins the next segment of this region's spool. @returns its number. */
  leaveSegment(): number | Promise<number>;
};

export interface ListenerPorts {
  /** Of all listeners of this program that listen already. */
  readonly own: readonly number[];
  /** Of this region's API; 0 where it does not listen yet. */
  readonly api: number;
}

/** Jobs thread: what is done by the clock. It is started with the ports `recorder`, `host` and `requests`. */
export type JobFunctions = {
  ready(): Promise<void>;
  /** Maps a model now, in whichever providers it was seen. @returns an outcome for each; none where it was never seen. */
  expedite(order: ExpediteOrder): Promise<readonly ModelOutcome[]>;
  /** Mappings or prices were changed: what they concern is read again, and new traffic with them. */
  relearn(): Promise<void>;
  /** Prometheus text of this thread's metrics. */
  metrics(): Promise<string>;
  /** The gateway is about to stop: nothing more is sent through it. */
  pause(): Promise<void>;
  stop(): Promise<void>;
};

export interface ExpediteOrder {
  readonly organizationId: string;
  readonly model: string;
  readonly provider?: string;
}

export interface ModelOutcome {
  readonly provider: string;
  readonly model: string;
  readonly state: "mapped" | "pending";
  readonly version: number | null;
  readonly confidence: number | null;
  readonly samples: number;
  /** Why it is pending still. */
  readonly reason: string | null;
}
