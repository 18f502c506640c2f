// What is decided by code of other rooms that is no table: the real functions, called by the model. A check of the check puts a fault in the
// place of one.

import {
  canBeRecovered,
  effectOfStart,
  judgeReadBack,
  planRecovery,
  unknownEnd,
} from '../../src/execute/attempt/recovery.ts'
import { mayActFor, ownerByRecord } from '../../src/ledger/rules/own-attempt.ts'

export const decisions = {
  planRecovery,
  judgeReadBack,
  canBeRecovered,
  mayActFor,
  ownerByRecord,
  effectOfStart,
  unknownEnd,
}
