// The table of what a Proviso may be opened with. What cannot be meant as it stands is refused before anything is opened.

import type { Hook } from '../contract/call/hook.ts'
import { Fault } from '../contract/fault.ts'
import {
  anObject,
  asIs,
  byName,
  callback,
  checkOptions,
  either,
  having,
  listOf,
  listWith,
  milliseconds,
  nonEmptyText,
  type OptionKind,
  type OptionTable,
  optionsIn,
  several,
  wholeNumber,
} from '../contract/options.ts'
import type { VersionChoice } from '../drift/versions/route.ts'
import type { ProgramOptions } from '../execute/executors/process/program-users.ts'
import type { ReadLimits } from '../json/refusal.ts'
import type { ProvisoOptions } from './proviso.ts'

const limits: OptionTable<ReadLimits> = {
  maxBytes: wholeNumber(1, 2 ** 30),
  maxDepth: wholeNumber(1, 1_000),
  maxValues: wholeNumber(1, 2 ** 30),
}

const hook: OptionTable<Hook> = {
  name: nonEmptyText('Give it a name, by which its answers are recorded.'),
  preToolUse: callback,
  permissionRequest: callback,
  permissionDecision: callback,
  postToolUse: callback,
  postToolUseFailure: callback,
  resultPersistence: callback,
}

/** Numbers are judged where they are tried. */
const programs: OptionTable<ProgramOptions> = { users: anObject }

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const reasons: OptionKind = {
  write: 'For each tool, give the reason as a text.',
  fits: (value) =>
    isObject(value) && Object.values(value).every((reason) => typeof reason === 'string' && reason.trim() !== ''),
}

const aResolver = having('a resolver', 'resolve')

const aPolicy: OptionKind = {
  write: 'Give a policy in code, with id and judge(), or a set in Cedar, as { cedar: … }.',
  fits: (value) =>
    isObject(value) &&
    ('cedar' in value
      ? isObject(value.cedar)
      : 'judge' in value && typeof value.judge === 'function' && 'id' in value && typeof value.id === 'string'),
}

/** As an engine of the port has them; it may be wrapped. */
const aLedger: OptionKind = {
  write: '',
  fits: (value) =>
    isObject(value) && isObject(Reflect.get(value, 'operations')) && isObject(Reflect.get(value, 'calls')),
}

const versionChoice: OptionTable<VersionChoice> = {
  current: nonEmptyText('Give the number of a version, such as "2.1.0".'),
  canary: asIs,
}

const provisoOptions: OptionTable<ProvisoOptions> = {
  ledger: either(
    'Give a ledger, or the URL of a Postgres database; leave it out for one in memory.',
    aLedger,
    nonEmptyText(''),
  ),
  tools: several,
  sagas: several,
  tenants: several,
  budgets: anObject,
  hooks: listOf(hook, ['name']),
  credentials: either('Give a resolver, with resolve(), or a list of them.', listWith(aResolver), aResolver),
  programs: optionsIn(programs),
  permissions: anObject,
  policies: listWith(aPolicy),
  versions: byName(versionChoice),
  release: anObject,
  blocked: reasons,
  narrow: byName({}, { isOpen: true }),
  pins: either('Give the path of a file, or a store.', nonEmptyText(''), having('a store', 'get', 'list', 'save')),
  limits: optionsIn(limits),
  maxRepairs: wholeNumber(0, 100),
  sweepMs: milliseconds(1, 2 ** 31 - 1),
  onFault: callback,
  onProgress: callback,
  identity: having('an identity', 'verify'),
  principals: callback,
  clock: having('a clock', 'now', 'monotonic'),
  entropy: having('a source of random bytes', 'bytes'),
}

export function checkProvisoOptions(options: ProvisoOptions): void {
  checkOptions('openProviso', provisoOptions, options)
  // A variable of the environment that is not set must not become a ledger that a crash empties.
  if ('ledger' in options && options.ledger === undefined) throw new Fault('bad_options', noLedger)
}

const noLedger =
  'openProviso: ledger is undefined. Is a variable of the environment not set? Give a ledger, or the URL of a Postgres database; leave it out for one in memory.'
