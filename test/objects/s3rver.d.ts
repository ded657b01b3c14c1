/** The package has no types of its own; what the tests use of it. */
declare module "s3rver" {
  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
    });
    run(): Promise<unknown>;
    close(): Promise<void>;
  }
}
