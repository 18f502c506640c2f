// Faults in the functions in SQL, each of which breaks one rule: what holds the engines together has to find them.
import type pg from 'pg'
import { layoutVersion } from '../../src/ledger/postgres/codec/requests.ts'

export interface PlantedFault {
  readonly name: string
  /** Without the version in its name. */
  readonly routine: string
  readonly from: string
  readonly to: string
}

export const planted: readonly PlantedFault[] = [
  {
    name: 'an overtaken operation does not start over',
    routine: 'slot_verdict',
    from: "when not seen and kind = 'implicit' and status = 'COMPLETED' and overtaken",
    to: 'when false',
  },
  {
    name: 'a declined operation of a pointer does not start over',
    routine: 'slot_verdict',
    from: "kind in ('pointer', 'implicit')",
    to: "kind = 'implicit'",
  },
  {
    name: 'an approval serves another operation than its own',
    routine: 'approval_use',
    from: ' and same_operation',
    to: '',
  },
  { name: 'what is refused costs its rate', routine: 'admit', from: 'is_refunding := true;', to: '' },
  {
    name: 'an admission that is sent again is a new one',
    routine: 'slot_verdict',
    from: 'when same_admission',
    to: 'when false',
  },
  {
    name: 'any attempt settles',
    routine: 'settle_fit',
    from: "when pending and attempt = 'same' and says = 'happened'",
    to: "when pending and says = 'happened'",
  },
  {
    name: 'an attempt given up cannot turn out to have happened',
    routine: 'settle_fit',
    from: "then 'revived' --",
    to: "then 'late' --",
  },
  {
    name: 'nothing is overtaken',
    routine: 'record',
    from: "if e.end_effect = 'happened' and k.resource is not null then",
    to: 'if false then',
  },
  {
    name: 'nothing is given back',
    routine: 'settle_counts',
    from: "when 'settled_without_effect' then -1",
    to: "when 'settled_without_effect' then 0",
  },
  {
    name: 'what happened after all is not taken again',
    routine: 'settle_counts',
    from: "when 'revived' then 1",
    to: "when 'revived' then 0",
  },
  {
    name: 'what is spent twice counts once',
    routine: 'settle_counts',
    from: "when 'duplicate' then 1",
    to: "when 'duplicate' then 0",
  },
  {
    name: 'a later window is given back what an earlier one had',
    routine: 'recount',
    from: 'and x.window_from is not distinct from b.window_from',
    to: '',
  },
  {
    name: 'amounts count as one',
    routine: 'admit',
    from: 'counted[counter] := counted[counter] + claims_amount[each];',
    to: 'counted[counter] := counted[counter] + 1;',
  },
  {
    name: 'a raise outlives its window',
    routine: 'take_counter',
    from: 'raised = proviso.count_in_v1(known => x.raised, known_from => x.window_from, newest_from => excluded.window_from) + excluded.raised',
    to: 'raised = x.raised + excluded.raised',
  },
]

/** Gives what mends the function again. */
export async function plant(admin: pg.Client, { routine, from, to }: PlantedFault): Promise<() => Promise<void>> {
  const { rows } = await admin.query<{ source: string }>('select pg_get_functiondef($1::regproc) as source', [
    `proviso.${routine}_v${layoutVersion}`,
  ])
  const source = rows[0]?.source ?? ''
  if (!source.includes(from)) throw new Error(`Nothing to spoil: ${from}`)
  await admin.query(source.replace(from, to))
  return async () => void (await admin.query(source))
}
