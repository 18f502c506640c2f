// Why a schema was not accepted: which construct, where, and what to write instead.

export interface SchemaRefusal {
  /** JSON Pointer into the given document; `uri#pointer` in another one. */
  readonly pointer: string
  /** The keyword, or the limit, that was refused. */
  readonly construct: string
  readonly message: string
}
