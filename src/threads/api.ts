/** API thread; it is started with the ports `recorder`, `gateway` and `jobs`. */
export type ApiFunctions = {
  /** Starts listening and returns the port. */
  ready(): Promise<{ readonly port: number }>;
  stop(): Promise<void>;
};
