// AI SDK 7. The SDK's own tools go in and come out protected: the model is shown the same, but every call it makes goes through the
// pipeline, and only an admitted one reaches the tool's execute. Nothing of the SDK is loaded; its types are all that is used.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { StopCondition, Tool, ToolExecuteFunction, ToolExecutionOptions, ToolSet } from 'ai'
import {
  type Answer,
  type CallContext,
  defineTool,
  type EffectClass,
  type ExecutionContext,
  Fault,
  type Proviso,
  type Surface,
  type ToolCompensation,
  type ToolDefinition,
  ToolError,
  type ToolSource,
} from '../index.ts'
import { effects as effectTable } from '../public/tables.ts'
import { opened, parseWith, resolved, widened } from './ai-sdk-schema.ts'
import { currentExecution, withExecution } from './current-execution.ts'
import { flattened, isSame } from './flattened.ts'
import { type CallRefusal, callRefusal, isRefusal, isStoredRefusal, ownResult } from './refusal.ts'
import { relay } from './relay.ts'

export { type CallRefusal, currentExecution, isRefusal, isStoredRefusal }

/**
 * Whose calls these are. A tool that changes something needs a `run`: the chat or job within which it may happen once. A decision does not
 * run a call by itself here: the tool, its messages and its context are there only while the SDK makes the call.
 */
export type ProtectContext = Omit<CallContext, 'surface' | 'signal' | 'operationId' | 'resumeOnDecision'>

type FromTool = 'name' | 'description' | 'input' | 'output' | 'execute' | 'executor'
/** The SDK decides what the model is shown, and hands it whole results. */
type LeftToSdk = 'examples' | 'useWhen' | 'avoidWhen' | 'aliases' | 'searchHint' | 'deferred' | 'maxInlineBytes'

/** Carries a type where defineTool expects a schema. */
interface Typed<T> {
  readonly '~standard': { readonly types?: { readonly input: T; readonly output: T } }
}

/** Everything that defineTool takes besides what the SDK's tool already says. Only `effect` is required. */
export type EffectSettings<Input = unknown> = Omit<
  ToolDefinition<Typed<Input>, true>,
  FromTool | LeftToSdk | 'compensation'
> & { readonly compensation?: string | ToolCompensation<unknown, unknown> }

type Runs = { readonly execute: (...args: never[]) => unknown }

type InputOf<T> = T extends Tool<infer Input, infer _Output, infer _Context> ? Input : never
type OutputOf<T> = T extends Tool<infer _Input, infer Output, infer _Context> ? Output : never

/** `unprotected` is only for tools that do not run here: they have no `execute`, so nothing can stand in front of it. */
export type EffectSetting<T> = EffectClass | EffectSettings<InputOf<T>> | ([T] extends [Runs] ? never : 'unprotected')

export type Effects<Tools> = { readonly [Name in keyof Tools]: EffectSetting<Tools[Name]> }

/** The same tool, whose output may also be a refusal: code that reads outputs asks `isRefusal(output)` first. */
export type ProtectedTool<T> = [T] extends [Runs & Tool<infer _Input, infer _Output, infer Context>]
  ? Executable<InputOf<T>, OutputOf<T> | CallRefusal, Context>
  : T

type Executable<Input, Output, Context> = Tool<Input, Output, Context> & {
  execute: ToolExecuteFunction<Input, Output, Context>
}

export type ProtectedTools<Tools> = { [Name in keyof Tools]: ProtectedTool<Tools[Name]> }

/**
 * Puts Proviso in front of tools of the AI SDK. Each needs its effect class, or settings that name it. A success returns the tool's own
 * value; anything else returns a `CallRefusal`, which the model receives as an error it can act on.
 *
 * - Arguments are validated here and not by the SDK, so parts of the SDK's result show them as the model wrote them, before transforms.
 *   Text that is not JSON never gets here: the SDK answers it with an error of its own, and nothing runs. Of a key that stands twice
 *   its parser has kept the last.
 * - A refusal is an error to the model while its conversation is in memory. Read back from a store it is plain JSON with the same words:
 *   a tool might have returned the like.
 * - No `dialect` is set here: the SDK sends the tool's own schema, in no provider's form, and tells a tool neither model nor provider. A
 *   tool whose schema was put into one, so that null stands for what may be absent, names it in its context: `{ dialect: 'openai' }`.
 * - A tool that streams (an async generator) has its preliminary results handed on, unless some fields are to be redacted.
 * - Throws a Fault at once for a tool without an effect, and for one that registration refuses.
 */
export function protect<Tools extends ToolSet>(
  proviso: Proviso,
  tools: Tools,
  effects: Effects<NoInfer<Tools>>,
  context: ProtectContext = {},
): ProtectedTools<Tools> {
  const settings = readEffects(tools, effects)
  requireRun(settings, context)
  const sources = [...settings].map(([name, own]) => sourceOf(name, tools[name] as SdkTool, own))
  proviso.prepare(sources)

  let making: Promise<Surface> | undefined
  const surface = () => {
    making ??= proviso.surface(context, sources).catch((error: unknown) => {
      making = undefined
      throw error
    })
    return making
  }
  const propose = async (name: string, input: unknown, call: Running): Promise<Answer> => {
    const { toolCallId, abortSignal } = call.options
    // A text would be read as the arguments' JSON; the SDK has read that already, and found it to say no more than a text.
    const proposal = {
      tool: name,
      arguments: typeof input === 'string' ? JSON.stringify(input) : input,
      callId: toolCallId,
    }
    const own = { ...context, surface: await surface(), ...(abortSignal === undefined ? {} : { signal: abortSignal }) }
    return running.run(call, () => proviso.call(proposal, own))
  }
  const entries = Object.entries(tools).map(([name, tool]): [string, unknown] => {
    const own = settings.get(name)
    return [name, own === undefined ? tool : wrap(name, tool as SdkTool, own, propose)]
  })
  return Object.fromEntries(entries) as ProtectedTools<Tools>
}

/**
 * Ends the SDK's loop once a model only repeats itself: `stopWhen: [isStepCount(20), isHalted]`. Without it the loop goes on to its own
 * end, and every further refusal says the same few words.
 */
export const isHalted: StopCondition<ToolSet> = ({ steps }) =>
  steps.at(-1)?.toolResults.some(({ output }) => isRefusal(output) && output.halt === true) ?? false

/** What is used of a tool of any type. */
interface SdkTool {
  readonly description?: unknown
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly needsApproval?: unknown
  execute(input: unknown, options: Options): unknown
  onInputAvailable?(options: { input: unknown }): unknown
  toModelOutput?(options: { toolCallId: string; input: unknown; output: unknown }): unknown
}

type Options = ToolExecutionOptions<unknown>

/** One call of the SDK. The executor finds it here, so that what it runs is the tool of this call, with the options of this call. */
interface Running {
  execute(input: unknown, options: Options): unknown
  readonly options: Options
  readonly emit?: (value: unknown) => void
}

const running = new AsyncLocalStorage<Running>()

type Propose = (name: string, input: unknown, call: Running) => Promise<Answer>

function wrap(name: string, tool: SdkTool, settings: EffectSettings, propose: Propose): unknown {
  const { inputSchema, outputSchema, needsApproval, onInputAvailable } = tool
  const redacts = (settings.redact ?? []).length > 0
  const call = async (input: unknown, current: Running): Promise<unknown> => {
    const answer = await propose(name, input, current)
    // Where the result is kept out of sight, what the observation says of it is all there is.
    const shown = answer.value === undefined ? (answer.observation.result_payload.data ?? undefined) : answer.value
    return callRefusal(answer, answer.value) ?? ownResult(shown)
  }
  // The one that stands beside the schema now, also where the tool is given another one later.
  const { execute: own } = tool
  const execute: SdkTool['execute'] = (input, options) => Reflect.apply(own, tool, [input, options])
  return {
    ...tool,
    execute:
      isGenerator(own) && !redacts
        ? (input: unknown, options: Options) => relay((emit) => call(input, { execute, options, emit }))
        : (input: unknown, options: Options) => call(input, { execute, options }),
    ...(inputSchema === undefined ? {} : { inputSchema: opened(inputSchema) }),
    ...(outputSchema === undefined ? {} : { outputSchema: widened(outputSchema, isStoredRefusal) }),
    ...(onInputAvailable === undefined
      ? {}
      : { onInputAvailable: (options: { input: unknown }) => announce(tool, options) }),
    ...(needsApproval === undefined || needsApproval === false
      ? {}
      : { needsApproval: (input: unknown, options: unknown) => asksFirst(tool, input, options) }),
    toModelOutput: (options: Parameters<NonNullable<SdkTool['toModelOutput']>>[0]) => shownToModel(tool, options),
  }
}

/** Runs within proviso.call, for a call that passed every gate. */
async function runTool(args: unknown, context: ExecutionContext): Promise<unknown> {
  const call = running.getStore()
  if (call === undefined) {
    throw new ToolError('outside_sdk', 'This tool runs only within a call of the AI SDK.', { effect: 'none' })
  }
  const { execute, options, emit } = call
  return withExecution(context, async () => {
    const result = execute(args, { ...options, abortSignal: context.signal })
    if (!isAsyncIterable(result)) return result
    let last: unknown
    for await (const value of result) {
      last = value
      emit?.(value)
    }
    return last
  })
}

async function shownToModel(tool: SdkTool, options: { toolCallId: string; input: unknown; output: unknown }) {
  const { output } = options
  if (isRefusal(output)) return { type: 'error-json', value: output }
  if (tool.toModelOutput !== undefined) {
    const parsed = await parseWith(tool.inputSchema, options.input)
    return tool.toModelOutput(parsed.ok ? { ...options, input: parsed.value } : options)
  }
  // As the SDK does where a tool does not say how it is shown.
  if (typeof output === 'string') return { type: 'text', value: output }
  const text: string | undefined = JSON.stringify(output)
  return { type: 'json', value: text === undefined ? null : JSON.parse(text) }
}

/** The tool was promised an input that its schema accepts; it is not told of any other input. */
async function announce(tool: SdkTool, options: { input: unknown }): Promise<unknown> {
  const parsed = await parseWith(tool.inputSchema, options.input)
  return parsed.ok ? tool.onInputAvailable?.({ ...options, input: parsed.value }) : undefined
}

/** No person is asked about arguments that will be refused anyway. */
async function asksFirst(tool: SdkTool, input: unknown, options: unknown): Promise<boolean> {
  const parsed = await parseWith(tool.inputSchema, input)
  if (!parsed.ok) return false
  const { needsApproval } = tool
  return Boolean(
    typeof needsApproval === 'function'
      ? await Reflect.apply(needsApproval, tool, [parsed.value, options])
      : needsApproval,
  )
}

/** One settings object per bare class name, so that sources made from it are found again. */
const bare: ReadonlyMap<unknown, EffectSettings> = new Map(
  Object.keys(effectTable).map((name) => [name, { effect: name as EffectClass }]),
)
const classes = Object.keys(effectTable).join(', ')

/** The settings of every tool that is to be protected. */
function readEffects(tools: ToolSet, effects: object): ReadonlyMap<string, EffectSettings> {
  const given = new Map<string, unknown>(Object.entries(effects))
  const settings = new Map<string, EffectSettings>()
  for (const [name, tool] of Object.entries(tools)) {
    const effect = given.get(name)
    const runs = typeof tool.execute === 'function'
    if (effect === 'unprotected' && !runs) continue
    if (!runs) {
      throw new Fault(
        'bad_options',
        `Tool ${name} has no execute, so it does not run here and cannot be protected: say unprotected, or protect it where it runs.`,
      )
    }
    const own = bare.get(effect) ?? effect
    if (!hasEffect(own))
      throw new Fault(
        'bad_options',
        `Tool ${name} needs its effect: say READ_ONLY if it changes nothing, else one of ${classes}.`,
      )
    settings.set(name, own)
  }
  return settings
}

function hasEffect(settings: unknown): settings is EffectSettings {
  return typeof settings === 'object' && settings !== null && 'effect' in settings && bare.has(settings.effect)
}

function requireRun(settings: ReadonlyMap<string, EffectSettings>, { run }: ProtectContext): void {
  if (run !== undefined && run !== '') return
  const changing = [...settings].find(([, { effect }]) => effectTable[effect].mutates)?.[0]
  if (changing === undefined) return
  throw new Fault(
    'bad_options',
    `Tool ${changing} changes something, so its calls need a run: give { run: chatId } as the context.`,
  )
}

interface Kept {
  readonly source: ToolSource
  readonly madeFrom: readonly unknown[]
}

/**
 * Kept by tool and settings: where both are made once, protecting them for each request costs next to nothing. What has been changed in
 * either since makes a new source.
 */
const sources = new WeakMap<SdkTool, WeakMap<EffectSettings, Map<string, Kept>>>()

function sourceOf(name: string, tool: SdkTool, settings: EffectSettings): ToolSource {
  const { description, inputSchema, outputSchema } = tool
  const data = flattened(settings)
  if (data === undefined) return makeSource(name, tool, settings)
  const madeFrom = [description, inputSchema, outputSchema, ...data]
  const bySettings = sources.get(tool) ?? new WeakMap<EffectSettings, Map<string, Kept>>()
  const byName = bySettings.get(settings) ?? new Map<string, Kept>()
  const kept = byName.get(name)
  if (kept !== undefined && isSame(kept.madeFrom, madeFrom)) return kept.source
  const source = makeSource(name, tool, settings)
  sources.set(tool, bySettings.set(settings, byName.set(name, { source, madeFrom })))
  return source
}

function makeSource(name: string, tool: SdkTool, settings: EffectSettings): ToolSource {
  const { description, inputSchema, outputSchema } = tool
  return defineTool<unknown, unknown>({
    ...settings,
    name,
    // A description made per call cannot stand in a contract that holds for all of them.
    description: typeof description === 'string' ? description : name,
    input: resolved(inputSchema) ?? nothing,
    ...(outputSchema === undefined ? {} : { output: resolved(outputSchema) }),
    // The SDK is given the whole value in any case, so storing large ones elsewhere would save nothing.
    maxInlineBytes: Number.MAX_SAFE_INTEGER,
    execute: runTool,
  })
}

/** What the SDK shows of a tool without an input schema. */
const nothing = { type: 'object', properties: {}, additionalProperties: false } as const

function isGenerator(execute: unknown): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]'
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
