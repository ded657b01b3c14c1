/** One way in which a service is used, and how often beside the others. */
export interface TrafficKind {
  readonly name: string;
  readonly weight: number;
  /** @returns the `gateway-id` of what must have a record. @throws what a user would call a failure. */
  run(): Promise<string | undefined>;
}
