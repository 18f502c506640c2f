// From findings to the report: each state, each discrepancy, trust, and the one action that follows from it.
import { describe, expect, it } from 'vitest'
import type { EffectClass, Semantics } from '../../contract/effects.ts'
import { compileTool } from '../../contract/tool/compile-tool.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import {
  type Discrepancy,
  discrepancies,
  executionStates,
  reconciliationStates,
  remedyNames,
  verificationStates,
} from '../../contract/verification/verification.ts'
import { type EpochMs, epochMs } from '../../json/clock.ts'
import { defineTool } from '../../runtime/define-tool.ts'
import { conclude, discrepancyTable } from './conclude.ts'
import type { JudgedSource, SourceFinding } from './read-back.ts'
import { remedies, remedyFor, type Situation } from './remedy.ts'
import { nothingToRead, rolledBack, scheduled, unreadableEffect } from './reports.ts'

function toolOf(effect: EffectClass, extras: { semantics?: Semantics; compensation?: string } = {}): Tool {
  const source = defineTool({
    name: 'x_v1',
    description: 'x',
    effect,
    input: { type: 'object', additionalProperties: false },
    ...extras,
    execute: () => ({}),
  })
  const compiled = compileTool(source.contract, source.binding)
  if (!compiled.ok) throw new Error('not compiled')
  return compiled.tool
}

const found = (discrepancy: Discrepancy | null, more: Partial<JudgedSource> = {}): JudgedSource => ({
  kind: 'found',
  source: 's',
  discrepancy,
  message: 'm',
  unmet: [],
  unexpected: [],
  absent: false,
  compared: false,
  audited: false,
  ...more,
})
const unread = (late = false): SourceFinding => ({ kind: 'unreadable', source: 's', late, message: 'm' })
const fits = { payloadFits: true, approvalFits: true }
const at = epochMs(1_000)

const report = (tool: Tool, findings: readonly SourceFinding[], next?: EpochMs, rechecked = fits) =>
  conclude({ tool, findings, rechecked, target: null, reads: 1, next })

describe('a report', () => {
  const medium = toolOf('MEDIUM_RISK_WRITE')
  const high = toolOf('HIGH_RISK_EXTERNAL')

  it.each(Object.entries(discrepancyTable).filter(([name]) => name !== 'propagation_delay' && name !== 'unverifiable'))(
    'says %s where that is what was found [TC-439, TC-444, TC-446, TC-448, TC-450]',
    (name, row) => {
      const { state, discrepancy, reconciliation } = report(medium, [found(name as Discrepancy)])
      expect([state, discrepancy, reconciliation]).toEqual([row.state, name, row.reconciliation])
    },
  )

  it('knows nothing but the words of the specification', () => {
    expect(Object.keys(discrepancyTable).toSorted()).toEqual(discrepancies.toSorted())
    const all = [
      ...discrepancies.map((name) => report(high, [found(name)])),
      report(high, [found(null)]),
      report(high, [unread()]),
      report(high, [unread(true)]),
      report(high, [found('no_op_success')], at),
      nothingToRead(high, null),
      scheduled(high, null, at),
      rolledBack(high),
      unreadableEffect('m', null, 1),
    ]
    for (const { execution, state, reconciliation, action } of all) {
      expect(executionStates).toContain(execution)
      expect(verificationStates).toContain(state)
      expect(reconciliationStates).toContain(reconciliation)
      expect(remedyNames).toContain(action)
    }
  })

  it('waits where a later reading may show it, and says propagation delay [TC-451, TC-452]', () => {
    expect(report(medium, [found('no_op_success')], at)).toMatchObject({
      state: 'PENDING',
      discrepancy: 'propagation_delay',
      execution: 'PENDING',
      action: 'poll',
      due: at,
    })
    expect(report(medium, [unread()], at)).toMatchObject({ state: 'PENDING', discrepancy: 'unverifiable' })
  })

  it('does not wait for the wrong target or a second effect to go away', () => {
    expect(report(medium, [found('wrong_target')], at)).toMatchObject({ state: 'FAILED', action: 'freeze_and_alarm' })
    expect(report(medium, [found('duplicate_side_effect')], at).state).toBe('FAILED')
  })

  it('is verified only where all sources agree, and never where one could not be read', () => {
    expect(report(high, [found(null), found(null)])).toMatchObject({ state: 'VERIFIED', trust: 3, action: 'none' })
    expect(report(high, [found(null), unread()])).toMatchObject({ state: 'UNVERIFIABLE', trust: 1 })
    expect(report(high, [found(null), found('value_mismatch')])).toMatchObject({
      state: 'FAILED',
      reconciliation: 'REVIEW_REQUIRED',
    })
  })

  it('tells a reader that is late from one that fails: unknown is not failed [TC-441, TC-454]', () => {
    expect(report(high, [unread(true)])).toMatchObject({
      state: 'TIMEOUT',
      discrepancy: 'unknown',
      execution: 'ACCEPTED',
      action: 'freeze_and_reconcile',
    })
  })

  it('is reported where the risk is low and held where it is high, when nothing can read it [TC-439]', () => {
    expect(nothingToRead(medium, null)).toMatchObject({ reconciliation: 'UNKNOWN', action: 'report_degraded' })
    expect(nothingToRead(high, null)).toMatchObject({ reconciliation: 'REVIEW_REQUIRED', action: 'hold_and_escalate' })
  })

  it('climbs the ladder of trust: read back, compared with before, confirmed by an audit [TC-421, TC-430]', () => {
    expect(report(medium, [found(null)]).trust).toBe(2)
    expect(report(medium, [found(null, { compared: true })]).trust).toBe(3)
    expect(report(medium, [found(null, { audited: true })]).trust).toBe(4)
    expect(report(medium, [found('value_mismatch', { audited: true })]).trust).toBe(1)
  })

  it('fails closed where the payload is another, and has the approval looked at where policies are others', () => {
    expect(report(high, [found(null)], at, { ...fits, payloadFits: false })).toMatchObject({
      state: 'FAILED',
      action: 'fail_closed',
      reconciliation: 'REVIEW_REQUIRED',
    })
    expect(report(high, [found(null)], undefined, { ...fits, approvalFits: false })).toMatchObject({
      state: 'VERIFIED',
      trust: 1,
      action: 'revalidate_approval',
      reconciliation: 'REVIEW_REQUIRED',
    })
  })

  it('tells what was rolled back from what was compensated: nothing was executed [TC-439, TC-442, TC-456]', () => {
    expect(rolledBack(medium)).toMatchObject({
      execution: 'NOT_EXECUTED',
      reconciliation: 'ROLLED_BACK',
      action: 'rollback',
    })
  })
})

describe('the action', () => {
  const base: Situation = {
    ...fits,
    state: 'FAILED',
    discrepancy: 'value_mismatch',
    effectClass: 'MEDIUM_RISK_WRITE',
    semantics: 'saga_step',
    classification: 'internal',
    compensable: true,
    uncommitted: false,
  }
  const cases: readonly (readonly [Partial<Situation>, ReturnType<typeof remedyFor>])[] = [
    [{ payloadFits: false }, 'fail_closed'],
    [{ approvalFits: false }, 'revalidate_approval'],
    [{ discrepancy: null, state: 'VERIFIED' }, 'none'],
    [{ discrepancy: 'wrong_target' }, 'freeze_and_alarm'],
    [{ uncommitted: true }, 'rollback'],
    [{ state: 'PENDING', discrepancy: 'propagation_delay' }, 'poll'],
    [{ state: 'TIMEOUT', discrepancy: 'unknown' }, 'freeze_and_reconcile'],
    [{ discrepancy: 'unknown', effectClass: 'CRITICAL_MUTATION' }, 'hold_and_escalate'],
    [{ discrepancy: 'unverifiable', state: 'UNVERIFIABLE', classification: 'secret' }, 'hold_and_escalate'],
    [{ discrepancy: 'unverifiable', state: 'UNVERIFIABLE' }, 'report_degraded'],
    [{ discrepancy: 'no_op_failure', state: 'VERIFIED' }, 'none'],
    [{ semantics: 'retryable_post_pivot' }, 'recover_forward'],
    [{ semantics: 'irreversible_pivot', compensable: false }, 'hold_and_escalate'],
    [{}, 'compensate'],
    [{ semantics: 'idempotent_write', compensable: false, discrepancy: 'no_op_success' }, 'recover_forward'],
    [{ compensable: false }, 'hold_and_escalate'],
  ]

  it.each(cases)('for %o is %s [TC-455]', (given, expected) => {
    expect(remedyFor({ ...base, ...given })).toBe(expected)
  })

  it('has a case for every row, decided by that row', () => {
    const decided = new Set(cases.map(([given]) => remedies.find((row) => row.when({ ...base, ...given }))))
    expect(decided.size).toBe(remedies.length)
  })
})
