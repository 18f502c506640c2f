// The pipeline: every proposed call passes these phases, in this order. This list is the whole truth; `proviso gates` prints it.
import type { Phase } from './phase.ts'
import { admit } from './phases/admit.ts'
import { confirm } from './phases/confirm.ts'
import { execute } from './phases/execute.ts'
import { after, before, observe } from './phases/hooks.ts'
import { permission } from './phases/permission.ts'
import { policy } from './phases/policy.ts'
import { recall } from './phases/recall.ts'
import { resolve } from './phases/resolve.ts'
import { emit, normalize, persist } from './phases/result.ts'
import { schedule } from './phases/schedule.ts'
import { semantics } from './phases/semantics.ts'
import { state } from './phases/state.ts'
import { constraints, parse, structure, types } from './phases/validation.ts'
import { verify } from './phases/verify.ts'

export const pipeline: readonly Phase[] = [
  resolve,
  parse,
  structure,
  types,
  constraints,
  semantics,
  observe,
  before,
  permission,
  policy,
  recall,
  state,
  confirm,
  schedule,
  admit,
  execute,
  normalize,
  after,
  persist,
  verify,
  emit,
]
