/** The origin of a response of the Responses API that a client references by id. */
export interface EarlierResponse {
  readonly requestId: string;
  readonly provider: string;
  /** The model as it was sent to the provider. */
  readonly model: string;
  /** As the client wrote it. */
  readonly requestModel: string | null;
  /** Name of the credential, or `client`. */
  readonly credential: string;
  /** Whether the provider knows the id: Weir generates the id of a translated response. */
  readonly isProviders: boolean;
}
