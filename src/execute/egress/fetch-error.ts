// How `context.fetch` fails: a ToolError that also says whether anything of the request was sent.
import { ToolError } from '../../contract/fault.ts'

/** A request of `context.fetch` that came to no response. */
export class FetchError extends ToolError {
  /** False where nothing of the request can have left. */
  readonly sent: boolean

  constructor(failure: ToolError) {
    super(failure.code, failure.message, { class: failure.class })
    this.name = 'FetchError'
    this.sent = failure.effect !== 'none'
  }
}
