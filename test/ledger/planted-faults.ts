// Faults in the functions in SQL, each of which breaks one rule: what holds the engines together has to find them.
import type pg from 'pg'

export interface PlantedFault {
  readonly name: string
  readonly routine: string
  readonly from: string
  readonly to: string
}

export const planted: readonly PlantedFault[] = [
  {
    name: 'an overtaken operation does not start over',
    routine: 'admit',
    from: "or (k.overtaken and k.status = 'COMPLETED')",
    to: '',
  },
  {
    name: 'a declined operation of a pointer does not start over',
    routine: 'admit',
    from: "when 'pointer' then k.status = 'FAILED_FINAL' and k.effect = 'none'",
    to: "when 'pointer' then false",
  },
  {
    name: 'an approval serves another operation than its own',
    routine: 'admit',
    from: 'and (r.slot is null or (a.slot_key = r.slot and a.generation = generations[r.n]))',
    to: '',
  },
  {
    name: 'what is refused costs its rate',
    routine: 'admit',
    from: 'if refunds is not null then',
    to: 'if false then',
  },
  {
    name: 'an admission that is sent again is a new one',
    routine: 'admit',
    from: "k.nonce = p_ids[c * 2 + i_nonce] and k.status = 'PENDING'",
    to: "false and k.status = 'PENDING'",
  },
  { name: 'any attempt settles', routine: 'record', from: 'and x.attempt = v_attempt', to: '' },
  {
    name: 'an attempt given up cannot turn out to have happened',
    routine: 'record',
    from: "if not settled and v_effect = 'happened' then",
    to: 'if false then',
  },
  {
    name: 'nothing is overtaken',
    routine: 'record',
    from: 'if o_resource is not null then',
    to: 'if false then',
  },
  {
    name: 'nothing is given back',
    routine: 'record',
    from: "v_effect = 'none' then -1",
    to: "v_effect = 'none' then 0",
  },
  {
    name: 'what happened after all is not taken again',
    routine: 'record',
    from: 'if revived then sign := 1; end if;',
    to: '',
  },
  {
    name: 'what is spent twice counts once',
    routine: 'record',
    from: "'d';\n            -- Spent twice.\n            sign := 1;",
    to: "'d';",
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
    from: 'balance[x_counter] := balance[x_counter] + p_numbers[l + i_amount]',
    to: 'balance[x_counter] := balance[x_counter] + 1',
  },
  {
    name: 'a raise outlives its window',
    routine: 'admit',
    from: 'raised = case when excluded.window_from > x.window_from then 0 else x.raised end',
    to: 'raised = x.raised',
  },
]

/** Gives what mends the function again. */
export async function plant(admin: pg.Client, { routine, from, to }: PlantedFault): Promise<() => Promise<void>> {
  const { rows } = await admin.query<{ source: string }>('select pg_get_functiondef($1::regproc) as source', [
    `proviso.${routine}`,
  ])
  const source = rows[0]?.source ?? ''
  if (!source.includes(from)) throw new Error(`Nothing to spoil: ${from}`)
  await admin.query(source.replace(from, to))
  return async () => void (await admin.query(source))
}
