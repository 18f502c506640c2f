// Whether an executor may connect where nobody here can watch, under a contract that says where it connects to: that would be a promise
// which nothing keeps.
import type { Contract } from './envelope.ts'
import type { Executor } from './tool.ts'

export const isUnwatched = (
  { connects, unwatched }: Pick<Executor, 'connects' | 'unwatched'>,
  { security }: Pick<Contract, 'security'>,
): boolean => unwatched === true && connects === true && security.egress_policy !== 'unrestricted_with_approval'
