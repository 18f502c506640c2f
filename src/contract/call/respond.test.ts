import { describe, expect, it } from 'vitest'
import { defineTool } from '../../runtime/define-tool.ts'
import { type TaxonomyClass, taxonomy } from '../taxonomy.ts'
import type { Effect } from './answer.ts'
import { respond } from './respond.ts'

const { error_contract } = defineTool({
  name: 'x',
  description: 'x',
  effect: 'READ_ONLY',
  input: {},
  execute: () => ({}),
}).contract
const classes = Object.keys(taxonomy) as TaxonomyClass[]
const effects: readonly Effect[] = ['none', 'happened', 'unknown', 'pending']

describe('the response vector', () => {
  it('has 21 classes', () => {
    expect(classes).toHaveLength(21)
  })

  it('is the row of the taxonomy when nothing stands [response-follows-table] [TC-292, TC-314, TC-335]', () => {
    for (const name of classes) {
      const row = taxonomy[name]
      expect(
        respond({ class: name, reason: 'execution_failed', effect: 'none', errorContract: error_contract }),
      ).toEqual({
        error_code: name,
        repairable: row.repairable,
        retryable: row.retryable,
        requires_approval: row.requiresApproval,
        fail_closed: row.failClosed,
        escalate: row.escalate,
        next_action: row.nextAction,
      })
    }
  })

  it('never asks to do again what stands or may stand [response-follows-table] [TC-397]', () => {
    for (const name of classes) {
      for (const effect of ['happened', 'unknown'] as const) {
        const vector = respond({ class: name, reason: 'execution_failed', effect, errorContract: undefined })
        expect([vector.retryable, vector.repairable]).toEqual([false, false])
        if (effect === 'unknown') expect([vector.escalate, vector.next_action]).toEqual([true, 'await_resolution'])
      }
    }
  })

  it('lets a contract narrow a row and never loosen fail-closed [response-follows-table]', () => {
    const nothing = {
      repairable_errors: [],
      retryable_errors: [],
      fail_closed_errors: classes,
      escalation_errors: classes,
    }
    const everything = {
      repairable_errors: classes,
      retryable_errors: classes,
      fail_closed_errors: [],
      escalation_errors: [],
    }
    for (const name of classes) {
      for (const effect of effects) {
        const input = { class: name, reason: 'execution_failed', effect } as const
        const narrowed = respond({ ...input, errorContract: nothing })
        expect(narrowed).toMatchObject({ repairable: false, retryable: false, fail_closed: true, escalate: true })
        const loosened = respond({ ...input, errorContract: everything })
        const plain = respond({ ...input, errorContract: undefined })
        expect(loosened).toEqual(plain)
      }
    }
  })
})
