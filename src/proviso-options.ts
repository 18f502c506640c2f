// The table of what a Proviso may be opened with. What cannot be meant as it stands is refused before anything is opened.
import { Fault } from './contract/fault.ts'
import {
  anObject,
  asIs,
  byName,
  callback,
  checkOptions,
  either,
  having,
  list,
  milliseconds,
  type OptionTable,
  optionsIn,
  several,
  text,
  wholeNumber,
} from './contract/options.ts'
import type { VersionChoice } from './drift/versions/route.ts'
import type { ReadLimits } from './json/refusal.ts'
import type { ProvisoOptions } from './proviso.ts'

const limits: OptionTable<ReadLimits> = {
  maxBytes: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  maxDepth: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  maxValues: wholeNumber(1, Number.MAX_SAFE_INTEGER),
}

const versionChoice: OptionTable<VersionChoice> = {
  current: text('Give the number of a version, such as "2.1.0".'),
  canary: asIs,
}

const provisoOptions: OptionTable<ProvisoOptions> = {
  ledger: either(
    'Give a ledger, or the URL of a Postgres database; leave it out for one in memory.',
    anObject,
    text(''),
  ),
  tools: several,
  sagas: several,
  tenants: several,
  budgets: anObject,
  hooks: list,
  credentials: either('Give a resolver, or a list of them.', list, having('a resolver', 'resolve')),
  permissions: anObject,
  policies: list,
  versions: byName(versionChoice),
  release: anObject,
  blocked: anObject,
  narrow: anObject,
  pins: either('Give the path of a file, or a store.', text(''), having('a store', 'get', 'list', 'save')),
  limits: optionsIn(limits),
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
