// What a server asks a person in the middle of a call. It is asked through the host, within the time of the call; where the host answers
// nothing of use, the server is told that the question was dismissed.
import type { Awaitable, ToolContext } from '../../../contract/tool/executor.ts'
import { copyParsed } from '../../../json/copy.ts'
import { isObject, type JsonObject } from '../../../json/value.ts'
import { unlessAborted } from '../../within.ts'

/** A question of a server, in its own words: they are a stranger's, and are shown as such. */
export interface Elicitation {
  readonly message: string
  /** A flat object: texts, numbers, yes or no, and choices. */
  readonly schema: JsonObject
}

export type ElicitationAnswer =
  /** What is left out is filled in with the defaults of the schema. */
  | { readonly action: 'accept'; readonly content: JsonObject }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' }

export interface ElicitationContext extends ToolContext {
  /** Aborted when the call ends: then no answer is needed any more. */
  readonly signal: AbortSignal
}

export type OnElicit = (question: Elicitation, context: ElicitationContext) => Awaitable<ElicitationAnswer>

/** Asks for one call. Never throws. */
export type Elicit = (params: unknown) => Promise<ElicitationAnswer>

/** The server is told of forms alone; a page that a person has to open is not opened from here. */
export const elicitationCapability = { elicitation: { form: { applyDefaults: true } } } as const

const dismissed: ElicitationAnswer = { action: 'cancel' }
const limits = { maxBytes: 65_536, maxDepth: 8, maxValues: 10_000 }
const maxMessageLength = 16_384
/** A call that asks more often than this wears its person out: what it asks besides is dismissed. */
const mostQuestions = 20

/** `signal` is aborted when the call ends, well or not. */
export function elicitFor(onElicit: OnElicit, context: ToolContext, signal: AbortSignal): Elicit {
  const { callId, tenant, user, run, traceId } = context
  let asked = 0
  return async (params) => {
    const question = questionIn(params)
    if (question === undefined || signal.aborted || ++asked > mostQuestions) return dismissed
    try {
      const answering = Promise.resolve(onElicit(question, { callId, tenant, user, run, traceId, signal }))
      return answerIn(await unlessAborted(answering, signal)) ?? dismissed
    } catch {
      return dismissed
    }
  }
}

function questionIn(params: unknown): Elicitation | undefined {
  if (!isObject(params) || (params.mode !== undefined && params.mode !== 'form')) return undefined
  const schema = copyParsed(params.requestedSchema, limits)
  if (typeof params.message !== 'string' || params.message.length > maxMessageLength) return undefined
  if (!schema.ok || !isObject(schema.value)) return undefined
  return { message: params.message, schema: schema.value }
}

function answerIn(answer: unknown): ElicitationAnswer | undefined {
  if (!isObject(answer)) return undefined
  if (answer.action === 'decline' || answer.action === 'cancel') return { action: answer.action }
  const content = copyParsed(answer.content ?? {}, limits)
  return answer.action === 'accept' && content.ok && isObject(content.value)
    ? { action: 'accept', content: content.value }
    : undefined
}

/** As the SDK does it for questions that come by themselves. */
export function withDefaults(answer: ElicitationAnswer, params: unknown): ElicitationAnswer {
  const properties =
    isObject(params) && isObject(params.requestedSchema) ? params.requestedSchema.properties : undefined
  if (answer.action !== 'accept' || !isObject(properties)) return answer
  const given = Object.entries(properties).flatMap(([name, schema]) =>
    isObject(schema) && schema.default !== undefined && !Object.hasOwn(answer.content, name)
      ? [[name, schema.default] as const]
      : [],
  )
  return { action: 'accept', content: { ...answer.content, ...Object.fromEntries(given) } }
}
