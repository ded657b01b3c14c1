/** Main thread, as the jobs see it. */
export type HostFunctions = {
  ports(): ListenerPorts | Promise<ListenerPorts>;
  /** Begins the next segment of this region's spool. @returns its number. */
  leaveSegment(): number | Promise<number>;
};

export interface ListenerPorts {
  /** Of all listeners of this program that listen already. */
  readonly own: readonly number[];
  /** Of this region's API; 0 if it does not listen yet. */
  readonly api: number;
}

/** Jobs thread: scheduled work. It is started with the ports `recorder`, `host` and `requests`. */
export type JobFunctions = {
  ready(): Promise<void>;
  /** Maps a model now, for every provider it was seen at. @returns one outcome per provider; empty if the model was never seen. */
  expedite(order: ExpediteOrder): Promise<readonly ModelOutcome[]>;
  /** Mappings or prices were changed: affected records are read again, and new traffic uses the change. */
  relearn(): Promise<void>;
  /** Prometheus text of this thread's metrics. */
  metrics(): Promise<string>;
  /** The gateway is about to stop: no more requests are sent through it. */
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
  /** Why it is still pending. */
  readonly reason: string | null;
}
