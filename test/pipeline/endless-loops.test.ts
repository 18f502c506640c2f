// Scripted models that never learn: on a ledger in memory, and on Postgres with two processes.
import { describe, expect, it } from 'vitest'
import { type Answer, type CallContext, type Proposal, type Proviso, ToolError } from '../../src/index.ts'
import { hashFields } from '../../src/json/hash.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { manualClock } from '../../src/public/testing.ts'
import { databasesOfFile } from '../ledger/databases-of-file.ts'
import { classOf, context, counted, open, order, reasonOf } from './bench-desk.ts'

const databases = databasesOfFile()

const good = { order_id: 'o-1' }

interface Round {
  readonly proposal: Proposal
  readonly in?: CallContext
}

const call = (id: number, args: unknown, tool = 'order_v1'): Round => ({
  proposal: { tool, arguments: args, callId: `c${id}` },
})

/** Models by what they do in each round. */
const models: Readonly<Record<string, (round: number) => Round>> = {
  'repeats itself': (round) => call(round, { order_id: 5 }),
  'is wrong in another way each time': (round) => call(round, { order_id: round }),
  'sends text that is no JSON': (round) => call(round, `{"order_id": ${round}`),
  'makes up names of tools': (round) => call(round, good, `tool_${round}`),
  'sends the keys in another order': (round) =>
    call(round, round % 2 === 0 ? { order_id: 'o', amount: 'x' } : { amount: 'x', order_id: 'o' }),
  'gives no ids': () => ({ proposal: { tool: 'order_v1', arguments: { order_id: 5 } } }),
}

async function play(
  processes: readonly Proviso[],
  rounds: number,
  model: (round: number) => Round,
): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let round = 0; round < rounds; round++) {
    const { proposal, in: where = context } = model(round)
    const process = processes[round % processes.length] as Proviso
    answers.push(await process.call(proposal, where))
  }
  return answers
}

const repairableIn = (answers: readonly Answer[]) => answers.filter(({ response }) => response.repairable).length

const places = [
  { place: 'in memory', processes: async () => [await open(counted('LOW_RISK_INTERNAL').source)] },
  {
    place: 'on Postgres, in two processes',
    async processes() {
      const url = await databases.fresh()
      const one = await open(counted('LOW_RISK_INTERNAL').source, { ledger: await postgres(url) })
      return [one, await open(counted('LOW_RISK_INTERNAL').source, { ledger: await postgres(url) })]
    },
  },
]

describe.each(places)('a model that loops, $place', ({ processes: start }) => {
  it('is sent back three times at most, and then told one thing; a person is asked once [repairs-are-bounded] [TC-194] [TC-210] [TC-321]', async () => {
    const processes = await start()
    for (const [name, model] of Object.entries(models)) {
      const where = { ...context, run: name }
      const answers = await play(processes, 30, (round) => ({ ...model(round), in: where }))
      expect([name, repairableIn(answers) <= 3]).toEqual([name, true])
      const halted = answers.filter(({ halt }) => halt === true)
      expect(new Set(halted.map((answer) => JSON.stringify(answer.feedback?.field_errors))).size).toBe(1)
      expect(halted.map(reasonOf)).toEqual(Array(halted.length).fill('repair_exhausted'))
      expect(halted.length).toBe(30 - repairableIn(answers))
      expect(halted[0]?.response).toMatchObject({
        repairable: false,
        retryable: false,
        escalate: true,
        next_action: 'stop_and_report',
      })
    }
    const asked = await (processes[0] as Proviso).escalations.list('acme')
    expect(asked.map(({ kind }) => kind)).toEqual(Object.keys(models).map(() => 'repair_exhausted'))
    for (const each of processes) await each.close()
  })

  it('gets through with a valid call, which closes the question and begins the count anew [repairs-are-bounded] [TC-198]', async () => {
    const processes = await start()
    const first = processes[0] as Proviso
    const halted = await play(processes, 10, (round) => call(round, { order_id: round }))
    expect(halted.at(-1)?.halt).toBe(true)
    expect(classOf(await first.call(order('good'), context))).toBe('SUCCESS')
    const [late] = await play(processes, 1, (round) => call(round, { order_id: -1 }))
    expect([late?.halt, late?.response.repairable]).toEqual([undefined, true])
    expect(await first.escalations.list('acme')).toEqual([])
    for (const each of processes) await each.close()
  })

  it('may alternate between right and wrong for ever, with one question at most', async () => {
    const processes = await start()
    const answers = await play(processes, 60, (round) =>
      call(round, round % 2 === 0 ? { order_id: round } : { order_id: `o-${round}` }),
    )
    expect(answers.filter((_, round) => round % 2 === 1).map(classOf)).toEqual(Array(30).fill('SUCCESS'))
    expect(answers.some(({ halt }) => halt === true)).toBe(false)
    const same = await play(processes, 60, (round) =>
      call(round, round % 2 === 0 ? { order_id: 7 } : { order_id: `p-${round}` }),
    )
    expect(same.filter((_, round) => round % 2 === 1).map(classOf)).toEqual(Array(30).fill('SUCCESS'))
    expect(repairableIn(same)).toBe(1)
    expect((await (processes[0] as Proviso).escalations.list('acme')).length).toBeLessThanOrEqual(1)
    for (const each of processes) await each.close()
  })
})

interface Noted {
  readonly repair?: { readonly refused: Record<string, string> }
}

const refusedIn = (evidence: unknown) => (evidence as Noted | undefined)?.repair?.refused ?? {}

describe('what is no loop', () => {
  it('is a failure that passes: retries use up no repair, and a repair starts nothing [TC-187]', async () => {
    const tool = counted('READ_ONLY', {
      maxRetries: 1,
      execute: () => {
        throw new ToolError('down', 'Down.', { class: 'DEPENDENCY_UNAVAILABLE', effect: 'none' })
      },
    })
    const proviso = await open(tool.source)
    await play([proviso], 2, (round) => call(round, good))
    const started = tool.seen.length
    expect(started).toBe(4)
    expect(repairableIn(await play([proviso], 5, (round) => call(round, { order_id: round })))).toBe(3)
    expect(tool.seen).toHaveLength(started)
  })

  it('goes on: the same call delivered again, another agent, another turn, a pause', async () => {
    const clock = manualClock()
    const proviso = await open(counted('READ_ONLY').source, { clock })
    const bad = order('c1', { order_id: 5 })
    const reasonIn = async (where: CallContext, proposal = bad) => {
      clock.advance(1_000)
      return reasonOf(await proviso.call(proposal, where))
    }
    for (let round = 0; round < 5; round++) expect(await reasonIn(context)).toBe('schema_validation_failed')
    expect(await reasonIn({ ...context, agent: 'other' }, order('c2', { order_id: 5 }))).toBe(
      'schema_validation_failed',
    )
    expect(await reasonIn({ ...context, turn: 'first' }, order('c3', { order_id: 5 }))).toBe('schema_validation_failed')
    expect(await reasonIn({ ...context, turn: 'second' }, order('c4', { order_id: 5 }))).toBe(
      'schema_validation_failed',
    )
    expect(await reasonIn({ ...context, user: 'bob', run: undefined as never }, order('c5', { order_id: 5 }))).toBe(
      'schema_validation_failed',
    )
    clock.advance(900_000)
    expect(await reasonIn(context, order('c6', { order_id: 5 }))).toBe('schema_validation_failed')
    expect(await reasonIn(context, order('c7', { order_id: 5 }))).toBe('repair_exhausted')
  })

  it('goes on where the state changed: the same proposal is another one then', async () => {
    let version = 1
    const tool = counted('LOW_RISK_INTERNAL', {
      state: { read: () => ({ version }), match: [{ argument: '/amount', state: '/version' }] },
    })
    const proviso = await open(tool.source)
    const set = (callId: string) => proviso.call(order(callId, { order_id: 'o', amount: 9 }), context)
    expect(reasonOf(await set('c1'))).toBe('stale_state')
    version = 2
    expect(reasonOf(await set('c2'))).toBe('stale_state')
    expect(reasonOf(await set('c3'))).toBe('repair_exhausted')
  })

  it('says in the facts what a proposal repairs, and which repair it is [TC-196] [TC-211]', async () => {
    const clock = manualClock()
    const proviso = await open(counted('READ_ONLY').source, { clock })
    const ids: string[] = []
    const noteOf = async (args: unknown) => {
      clock.advance(1_000)
      const { observation } = await proviso.call(order(`c${ids.length}`, args), context)
      ids.push(observation.tool_identity.call_id)
      const facts = await proviso.calls.facts(ids.at(-1) as string)
      return (facts.at(-1)?.evidence as Noted | undefined)?.repair
    }
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    const hashes = { payload: hash, errors: hash }
    const refused = { ...hashes, fingerprint: hash }
    expect(await noteOf({ order_id: 1 })).toEqual({ repairs: null, refused })
    expect(await noteOf({ order_id: 2 })).toEqual({ repairs: { of: ids[0], number: 1, ...hashes }, refused })
    expect(await noteOf(good)).toEqual({ repairs: { of: ids[1], number: 2, ...hashes }, refused: null })
    expect(await noteOf(good)).toBeUndefined()
    // Another payload with the same mistake is seen to be that; the fingerprint is of both together.
    const facts = await Promise.all(ids.slice(0, 2).map((id) => proviso.calls.facts(id)))
    const notes = facts.map((of) => refusedIn(of.at(-1)?.evidence))
    expect(new Set(notes.map(({ errors }) => errors)).size).toBe(1)
    for (const { payload = '', errors = '', fingerprint } of notes)
      expect(fingerprint).toBe(hashFields('proviso.repair.v1', [payload, errors]))
    expect(new Set(notes.map(({ fingerprint }) => fingerprint)).size).toBe(2)
  })

  it('is bounded as the tool or the host says', async () => {
    const bad = (round: number) => call(round, { order_id: round })
    const strict = await open(counted('READ_ONLY', { maxRepairs: 0 }).source, { maxRepairs: 9 })
    expect(repairableIn(await play([strict], 5, bad))).toBe(0)
    const patient = await open(counted('READ_ONLY').source, { maxRepairs: 9 })
    expect(repairableIn(await play([patient], 20, bad))).toBe(9)
  })
})
