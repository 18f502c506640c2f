// Hooks: code of the host that hears of six moments of a call and may answer. What a hook answered is recorded once per call id and used
// again by every later pass; an input it changed is judged from the start, and its allow overrides no other voice's deny or ask.
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { TaxonomyClass } from '../taxonomy.ts'
import type { Awaitable, ToolContext } from '../tool/executor.ts'
import type { Effect } from './answer.ts'
import type { Observation } from './observation.ts'

export const hookEvents = [
  'pre_tool_use',
  'permission_request',
  'permission_decision',
  'post_tool_use',
  'post_tool_use_failure',
  'result_persistence',
] as const

export type HookEventName = (typeof hookEvents)[number]

interface HookEvent {
  readonly tool: string
  /** The observable copy: sensitive values are masked. */
  readonly input: JsonObject
  readonly context: ToolContext
}

/** What a hook may answer at any moment. */
interface HookSaying {
  /** A warning in the answer. */
  readonly message?: string
  /** Told to the host that watches the call, and to no model. */
  readonly progress?: string
  /** Words for the model, beside the result. */
  readonly additionalContext?: string
}

export interface PermissionResult {
  readonly says: 'allow' | 'ask' | 'deny'
  readonly message: string
}

/** The arguments are valid, and no rule or person was asked yet. */
export type PreToolUse = HookEvent

export interface PreToolUseResult extends HookSaying {
  /** Replaces arguments by name; validated like anything a model sends. */
  readonly updatedInput?: JsonObject
  /** A voice among all others, heard in policy. */
  readonly permissionResult?: PermissionResult
  /** Refuses the call; the sentence goes to the model. */
  readonly stop?: string
}

/** A person is about to be asked. */
export interface PermissionRequest extends HookEvent {
  readonly asks: readonly { readonly source: string; readonly message: string }[]
}

export interface PermissionRequestResult extends HookSaying {
  readonly permissionResult?: PermissionResult
  readonly stop?: string
}

/** All voices were heard. */
export interface PermissionDecision extends HookEvent {
  readonly says: PermissionResult['says']
  /** Who decided; undefined where no voice spoke. */
  readonly by: string | undefined
}

export interface PermissionDecisionResult extends HookSaying {
  readonly stop?: string
}

/** The tool has returned. */
export interface PostToolUse extends HookEvent {
  readonly data: Observation['result_payload']['data']
  readonly effect: Effect
}

export interface PostToolUseResult extends HookSaying {
  /** Replaces the whole result; it must fit the output schema, or nothing of the result is shown. */
  readonly updatedOutput?: JsonValue
}

/** The tool has failed, or what it returned could not be used. */
export interface PostToolUseFailure extends HookEvent {
  readonly class: TaxonomyClass
  readonly message: string
  readonly effect: Effect
}

export type PostToolUseFailureResult = HookSaying

/** The result is about to be kept and given to the model. */
export interface ResultPersistence extends HookEvent {
  readonly bytes: number
  /** Whether the whole result is stored, and the model gets a reference to it. */
  readonly stored: boolean
  readonly data: Observation['result_payload']['data']
}

export interface ResultPersistenceResult extends HookSaying {
  readonly updatedOutput?: JsonValue
  /** The result is neither kept nor shown; the sentence says why. */
  readonly stop?: string
}

export interface Hook {
  readonly name: string
  preToolUse?(event: PreToolUse): Awaitable<PreToolUseResult | undefined>
  permissionRequest?(event: PermissionRequest): Awaitable<PermissionRequestResult | undefined>
  permissionDecision?(event: PermissionDecision): Awaitable<PermissionDecisionResult | undefined>
  postToolUse?(event: PostToolUse): Awaitable<PostToolUseResult | undefined>
  postToolUseFailure?(event: PostToolUseFailure): Awaitable<PostToolUseFailureResult | undefined>
  resultPersistence?(event: ResultPersistence): Awaitable<ResultPersistenceResult | undefined>
}

/** What a hook answered, as it is kept. */
export interface HookOutput extends HookSaying {
  readonly event: HookEventName
  readonly hook: string
  readonly failed?: true
  readonly updatedInput?: JsonObject
  readonly permissionResult?: PermissionResult
  readonly stop?: string
  readonly updatedOutput?: JsonValue
}
