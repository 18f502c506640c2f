// Hooks: code of the host that sees a call before it is judged and after it ran. What a hook said is recorded and reused; a hook that
// changes the input has the changed input judged from the start.
import type { JsonObject } from '../json/value.ts'
import type { Observation } from './observation.ts'
import type { Awaitable, ToolContext } from './tool.ts'

export interface BeforeEvent {
  readonly tool: string
  /** The observable copy: sensitive values are masked. */
  readonly input: JsonObject
  readonly context: ToolContext
}

export interface BeforeResult {
  /** Replaces arguments by name; validated like anything a model sends. */
  readonly updatedInput?: JsonObject
  /** Refuses the call; the sentence goes to the model. */
  readonly stop?: string
  /** Demands a person's approval; the sentence goes into the packet. */
  readonly ask?: string
}

export interface AfterEvent {
  readonly tool: string
  readonly input: JsonObject
  readonly data: Observation['result_payload']['data']
  readonly context: ToolContext
}

export interface AfterResult {
  readonly warnings?: readonly string[]
}

export interface Hook {
  readonly name: string
  before?(event: BeforeEvent): Awaitable<BeforeResult | undefined>
  after?(event: AfterEvent): Awaitable<AfterResult | undefined>
}

/** A before-hook's result as it is kept. */
export interface HookOutput extends BeforeResult {
  readonly hook: string
  readonly failed?: true
}
