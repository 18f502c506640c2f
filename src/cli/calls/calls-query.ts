// The filters of `proviso calls`, from what was typed to a query of the ledger.
import type { Effect } from '../../contract/call/answer.ts'
import { isTaxonomyClass } from '../../contract/taxonomy.ts'
import type { CallQuery, CallRecord } from '../../ledger/ports/calls.ts'
import { flag, type Given, text } from '../command.ts'

export type QueryReading =
  | { readonly ok: true; readonly query: CallQuery & { readonly limit: number } }
  | { readonly ok: false; readonly message: string; readonly details: readonly string[] }

const effects: readonly Effect[] = ['none', 'happened', 'unknown', 'pending']
const defaultLimit = 50
const maxLimit = 10_000

export function callsQuery(given: Given): QueryReading {
  const status = text(given, 'status')?.toUpperCase()
  if (status !== undefined && !isStatus(status))
    return wrong(
      'There is no such status.',
      'Known are RUNNING and the classes of the taxonomy: docs/reference/taxonomy.md.',
    )
  const named = text(given, 'effect')
  const effect = effects.find((known) => known === named)
  if (named !== undefined && effect === undefined)
    return wrong('There is no such effect.', `Known are ${effects.join(', ')}.`)
  const limit = Number(text(given, 'limit') ?? defaultLimit)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    return wrong(`--limit takes a whole number from 1 to ${maxLimit}.`)
  const names = Object.fromEntries(
    (['tenant', 'run', 'tool'] as const).flatMap((name) => {
      const value = text(given, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
  return {
    ok: true,
    query: {
      ...names,
      ...(status === undefined ? {} : { status }),
      ...(effect === undefined ? {} : { effect }),
      ...(flag(given, 'held') ? { held: true } : {}),
      limit,
    },
  }
}

const isStatus = (name: string): name is CallRecord['status'] => name === 'RUNNING' || isTaxonomyClass(name)

const wrong = (message: string, ...details: readonly string[]): QueryReading => ({ ok: false, message, details })
