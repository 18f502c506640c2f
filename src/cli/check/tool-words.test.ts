import { describe, expect, it } from 'vitest'
import { claimedEffect } from './tool-words.ts'

const least = (name: string, description = '') => claimedEffect(name, description)?.least

describe('the effect that a tool claims in its own words', () => {
  it('is read from the verb of its name', () => {
    expect(least('send_mail')).toBe('HIGH_RISK_EXTERNAL')
    expect(least('deleteUser')).toBe('LOW_RISK_INTERNAL')
    expect(least('chargeCard')).toBe('CRITICAL_MUTATION')
  })

  it('is read from where a sentence has its verb', () => {
    expect(least('x', 'Refunds a charge.')).toBe('CRITICAL_MUTATION')
    expect(least('x', 'Use this tool to deploy a release')).toBe('HIGH_RISK_EXTERNAL')
    expect(least('x', 'Looks a customer up. Then it will send a mail.')).toBe('HIGH_RISK_EXTERNAL')
    expect(least('x', 'Creates a draft.')).toBe('EPHEMERAL_WRITE')
    expect(least('x', 'Purges the cache.')).toBe('LOW_RISK_INTERNAL')
  })

  it('is the strongest of several', () => {
    expect(least('create_invoice', 'Creates an invoice. Sends it. Charges the card.')).toBe('CRITICAL_MUTATION')
  })

  it('is not claimed by what is denied', () => {
    expect(least('x', 'Prepares a draft only. Does not send, charge or delete anything.')).toBeUndefined()
    expect(least('x', "Doesn't refund. Never transfers money.")).toBeUndefined()
  })

  it('is not claimed by nouns', () => {
    expect(least('list_transfers', 'Lists transfers and refunds of an account.')).toBeUndefined()
    expect(least('get_order', 'Returns the charge of an order.')).toBeUndefined()
  })
})
