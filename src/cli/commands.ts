// The commands. This list is the whole truth: `proviso --help` prints it and main.ts runs it.
import { approvals } from './approvals.ts'
import { audit } from './audit.ts'
import { call } from './call.ts'
import { calls } from './calls.ts'
import { check } from './check.ts'
import type { CommandRow } from './command.ts'
import { demo } from './demo.ts'
import { diff } from './diff.ts'
import { drift } from './drift.ts'
import { explain } from './explain.ts'
import { gates } from './gates.ts'
import { init } from './init.ts'
import { keys } from './keys.ts'
import { sagas } from './sagas.ts'
import { subschema } from './subschema.ts'
import { versions } from './versions.ts'

export const commands: readonly CommandRow[] = [
  init,
  demo,
  gates,
  check,
  diff,
  drift,
  call,
  calls,
  sagas,
  versions,
  explain,
  audit,
  approvals,
  keys,
  subschema,
]
