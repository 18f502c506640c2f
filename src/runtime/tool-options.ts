// The table of what a tool may be declared with. What its contract holds is judged at registration, with all that contradicts it; names that
// nothing reads, and what belongs to the binding, are judged here.
import { patternNames } from '../contract/approval/approval-pattern.ts'
import { persistenceModes } from '../contract/call/result.ts'
import { effects } from '../contract/effects.ts'
import {
  anObject,
  asIs,
  callback,
  checkOptions,
  either,
  having,
  list,
  milliseconds,
  nonEmptyText,
  type OptionTable,
  oneOf,
  optionsIn,
  textList,
  trueOrFalse,
  wholeNumber,
} from '../contract/options.ts'
import { dialects } from '../schema/normal.ts'
import type { ToolDefinition, ToolTraits, VerificationOptions } from './tool-definition.ts'

type Anything = ToolTraits<unknown, unknown, object>
type Inner<Name extends keyof Anything> = NonNullable<Anything[Name]>

const yearMs = 366 * 86_400_000

const approval: OptionTable<Inner<'approval'>> = {
  pattern: oneOf(...patternNames),
  quorum: wholeNumber(1, 100),
  roles: textList,
  ttlMs: asIs,
}

const connections: OptionTable<Inner<'connections'>> = { ports: list, loopback: trueOrFalse, plain: trueOrFalse }

const state: OptionTable<Inner<'state'>> = {
  read: callback,
  schema: anObject,
  match: list,
  allows: callback,
  after: callback,
}

const verification: OptionTable<VerificationOptions> = {
  // How long they take together is judged at registration.
  delayMs: milliseconds(0, Number.MAX_SAFE_INTEGER),
  times: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  everyMs: milliseconds(1, Number.MAX_SAFE_INTEGER),
  credentials: anObject,
}

const recovery: OptionTable<Inner<'recovery'>> = {
  horizonMs: milliseconds(0, yearMs),
  providerWindowMs: milliseconds(1, 100 * yearMs),
  expired: oneOf('reject', 'rebuild'),
}

const toolOptions: OptionTable<ToolDefinition<unknown, unknown, object>> = {
  name: asIs,
  description: asIs,
  effect: oneOf(...Object.keys(effects)),
  input: asIs,
  output: asIs,
  execute: callback,
  executor: having('an executor, such as http(…) or fn(…)', 'run'),
  executorVersion: nonEmptyText('Give a text, such as a build number.'),
  version: asIs,
  owner: asIs,
  lifecycle: asIs,
  useWhen: asIs,
  avoidWhen: asIs,
  examples: asIs,
  timeoutMs: asIs,
  rate: asIs,
  cost: asIs,
  maxRetries: asIs,
  isolated: asIs,
  scopes: asIs,
  tenantScoped: asIs,
  classification: asIs,
  egress: asIs,
  confirm: asIs,
  semantics: asIs,
  compensation: asIs,
  keyHeader: asIs,
  rememberSeconds: asIs,
  traceAttributes: asIs,
  errors: asIs,
  dialect: oneOf(...dialects),
  strict: trueOrFalse,
  aliases: textList,
  searchHint: nonEmptyText('Give words by which it is found.'),
  deferred: trueOrFalse,
  roles: textList,
  sensitive: asIs,
  share: oneOf('run', 'tenant'),
  operation: either('Give "call", or a list of JSON Pointers such as /invoice_id.', oneOf('call'), list),
  resource: asIs,
  amount: asIs,
  locks: asIs,
  concurrent: trueOrFalse,
  interrupt: oneOf('cancel', 'block'),
  modifiesContext: trueOrFalse,
  maxRepairs: wholeNumber(0, 100),
  approval: optionsIn(approval),
  consequence: either('Give a text that names arguments in braces, or a function.', callback, nonEmptyText('')),
  resultMode: oneOf(...persistenceModes),
  maxInlineBytes: asIs,
  maxResultBytes: asIs,
  previewBytes: asIs,
  redact: asIs,
  rules: list,
  trusted: trueOrFalse,
  residency: nonEmptyText('Give the name of a place, as policies write it.'),
  egressDomains: textList,
  credentials: anObject,
  secretsBoundary: asIs,
  connections: optionsIn(connections),
  preflight: callback,
  state: optionsIn(state),
  verify: asIs,
  verification: optionsIn(verification),
  recovery: optionsIn(recovery),
  commits: oneOf('ledger'),
}

/** Throws a Fault that names every option which nothing would read, or which cannot be meant as it stands. */
export function checkToolOptions(definition: object): void {
  const name: unknown = Reflect.get(definition, 'name')
  checkOptions(typeof name === 'string' ? `Tool ${name.slice(0, 128)}` : 'defineTool', toolOptions, definition, [
    'effect',
  ])
}
