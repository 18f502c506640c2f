// Tools from the operations of an OpenAPI document: name, schemas in 2020-12, the request that serves them, and an effect class that is a
// suggestion and nothing more. One operation that cannot be taken never keeps out the others.
import type { EffectClass } from '../../contract/effects.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { deriveInput } from './derive-input.ts'
import { deriveOutput } from './derive-output.ts'
import { type OpenApiDocument, type OpenApiGap, openDocument } from './document.ts'
import { type Operation, operationsOf } from './operations.ts'
import { createReach } from './reach.ts'
import { planRequest, type RequestPlan } from './request-plan.ts'
import { createTranslator, type Translator } from './schema-translation.ts'
import { scopesOf } from './security.ts'
import { toolNames } from './tool-name.ts'

export interface DerivedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly deprecated: boolean
  readonly input: JsonObject
  /** Undefined where nothing can be said about the result. */
  readonly output?: JsonObject
  readonly scopes: readonly (readonly string[])[]
  readonly errors: readonly string[]
  readonly request: { readonly method: string; readonly path: string; readonly server?: string }
  /** What its method lets one expect; a person decides. */
  readonly suggestedEffect: EffectClass
  /** How it is sent; undefined where `unsent` says why not. */
  readonly plan?: RequestPlan
  readonly unsent: readonly OpenApiGap[]
  /** Parameters and a body that it has and that its input knows nothing of. */
  readonly unread: readonly OpenApiGap[]
  /** Parts of its schemas that could not be taken over. */
  readonly gaps: readonly OpenApiGap[]
  /** The operation as the document has it. */
  readonly operation: JsonObject
  /** The hash of that and of everything that it refers to, worked out when it is asked for. */
  reach(): string
}

export type OpenApiDerivation =
  | {
      readonly ok: true
      readonly title: string
      readonly version: string | undefined
      readonly tools: readonly DerivedTool[]
      readonly gaps: readonly OpenApiGap[]
    }
  | { readonly ok: false; readonly pointer: string; readonly message: string }

export function deriveTools(value: JsonValue, base?: string): OpenApiDerivation {
  const opening = openDocument(value)
  if (!opening.ok) return opening
  const { document } = opening
  const { operations, gaps } = operationsOf(document, base)
  const reachOf = createReach(document)
  const translators = { input: createTranslator(document, 'input'), output: createTranslator(document, 'output') }
  const names = toolNames(
    operations.map(({ method, path, value: own }) => ({ method, path, operationId: text(own.operationId) })),
  )
  const info = isObject(document.root.info) ? document.root.info : {}
  return {
    ok: true,
    title: text(info.title) ?? '',
    version: text(info.version),
    tools: operations.map((operation, index) => ({
      ...toolOf(document, operation, names[index] as string, translators),
      reach: () => reachOf(operation),
    })),
    gaps,
  }
}

/** By method alone: the person who imports the tool has to look. */
const suggestions: Readonly<Record<Operation['method'], EffectClass>> = {
  get: 'READ_ONLY',
  head: 'READ_ONLY',
  options: 'READ_ONLY',
  trace: 'READ_ONLY',
  query: 'READ_ONLY',
  post: 'MEDIUM_RISK_WRITE',
  put: 'MEDIUM_RISK_WRITE',
  patch: 'MEDIUM_RISK_WRITE',
  delete: 'HIGH_RISK_EXTERNAL',
}

function toolOf(
  document: OpenApiDocument,
  operation: Operation,
  name: string,
  translators: { readonly input: Translator; readonly output: Translator },
): Omit<DerivedTool, 'reach'> {
  const input = deriveInput(document, operation, translators.input)
  const output = deriveOutput(document, operation, translators.output)
  const planning = planRequest(document, operation, input)
  const { value, method, path, server } = operation
  const title = text(value.summary)
  const description = text(value.description)
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    deprecated: value.deprecated === true,
    input: input.schema,
    ...(output.schema === undefined ? {} : { output: output.schema }),
    scopes: scopesOf(operation),
    errors: output.errors,
    request: { method: method.toUpperCase(), path, ...(server === undefined ? {} : { server }) },
    suggestedEffect: suggestions[method],
    ...(planning.ok ? { plan: planning.plan } : {}),
    unsent: planning.ok ? [] : planning.gaps,
    unread: input.unread,
    gaps: [...input.unread, ...input.gaps, ...output.gaps],
    operation: value,
  }
}

const text = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
