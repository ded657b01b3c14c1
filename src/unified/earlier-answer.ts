/** Who made a response of OpenAI's responses API that a client names by its id. */
export interface EarlierAnswer {
  readonly requestId: string;
  readonly provider: string;
  /** The model as it was sent to the provider. */
  readonly model: string;
  /** As the client wrote it. */
  readonly requestModel: string | null;
  /** Name of the credential, or `client`. */
  readonly credential: string;
  /** Whether the provider knows the id: of a translated response Weir has made it. */
  readonly isProviders: boolean;
}
