// The frozen verdicts tell: a ledger that no longer looks at one of the things it decides on, and functions in SQL with a fault in them,
// come to another verdict in some row.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SettleRequest } from '../../../src/contract/call/settlement.ts'
import type { SlotRef } from '../../../src/contract/call/slot.ts'
import { databasesOfFile } from '../databases-of-file.ts'
import { type PlantedFault, plant, planted } from '../planted-faults.ts'
import { claimFamilies, families, sweptFamilies } from './families.ts'
import { type Spoiling, spoiled } from './port.ts'
import { differences, type Family, tells } from './rows.ts'
import { memoryStage, postgresStage, type Stage } from './stage.ts'

const familyOf = (name: string): Family => {
  const family = [...families, ...sweptFamilies, ...claimFamilies].find((each) => each.name === name)
  if (family === undefined) throw new Error(`No family is called ${name}.`)
  return family
}

const asking = (change: Partial<SlotRef>): Spoiling => ({
  admit: (request) => (request.slot === undefined ? request : { ...request, slot: { ...request.slot, ...change } }),
})

const ending = (change: (settle: SettleRequest) => Partial<SettleRequest>): Spoiling => ({
  record: (entry) =>
    entry.settle === undefined ? entry : { ...entry, settle: { ...entry.settle, ...change(entry.settle) } },
})

/** What a ledger does not look at, and the family that tells. */
const blindSpots: readonly (readonly [name: string, family: string, spoiling: Spoiling])[] = [
  ['provider call ids', 'admissions-implicit', asking({ providerCallId: undefined })],
  ['provider call ids of a pointer', 'admissions-pointer', asking({ providerCallId: undefined })],
  ['provider call ids of earlier generations', 'admissions-generations', asking({ providerCallId: undefined })],
  ['whether ids are full', 'admissions-full', { record: ({ seen: _, ...entry }) => entry }],
  ['what is asked for', 'admissions-caller', asking({ requestHash: 'aa01' })],
  ['the name of an admission', 'admissions-call', { admit: (request) => ({ ...request, nonce: request.callId }) }],
  ['what was looked up', 'admissions-unlooked', { admit: (request) => ({ ...request, unseen: false }) }],
  ['what a run carries', 'admissions-unlooked', { admit: (request) => ({ ...request, unlabelled: false }) }],
  [
    'the last one of a limit',
    'admissions-new',
    { admit: (request) => ({ ...request, claims: request.claims.map((each) => ({ ...each, max: each.max + 1 })) }) },
  ],
  ['rates', 'admissions-refused', { admit: (request) => ({ ...request, rate: { ...request.rate, max: 9 } }) }],
  ['approvals', 'admissions-approved', { admit: (request) => ({ ...request, approval: undefined }) }],
  ['grants', 'admissions-granted', { admit: (request) => ({ ...request, grant: undefined }) }],
  ['who speaks for an attempt', 'settles-same-attempt', ending(() => ({ nonce: '' }))],
  ['attempts', 'settles-other-attempt', ending(({ attempt }) => ({ attempt: Math.min(attempt, 2) }))],
  ['starts of executors', 'settles-plain', ending(() => ({ tries: 0 }))],
  ['generations', 'settles-generations', ending(() => ({ generation: 1 }))],
  ['resources', 'settles-overtaking', asking({ resource: undefined })],
  ['whose resource it is', 'settles-overtaking', asking({ run: 'run-1' })],
  [
    'whether an end may be tried again',
    'settles-approved',
    ending(({ status }) => ({ status: status === 'FAILED_RETRYABLE' ? 'FAILED_FINAL' : status })),
  ],
  ['amended answers', 'entries', { record: ({ amend: _, ...entry }) => entry }],
  ['who only looks on', 'standing-sent-once', { record: ({ looksOn: _, ...entry }) => entry }],
  ['who yields', 'standing-sent-once', { record: ({ yields: _, ...entry }) => entry }],
  [
    'the length of a window',
    'windows',
    { admit: (request) => ({ ...request, claims: request.claims.map((each) => ({ ...each, windowMs: undefined })) }) },
  ],
  ['the window of a raise', 'windows', { raise: (how) => ({ ...how, windowMs: undefined }) }],
  ['how many have to say the same', 'resolutions', { resolve: (said) => ({ ...said, quorum: 1 }) }],
  ['how a name is spelt', 'resolutions', { resolve: (said) => ({ ...said, by: said.by.replaceAll(' ', '-') }) }],
  ['whose tenant asks', 'resolutions-tenants', { resolve: (said) => ({ ...said, tenant: undefined }) }],
  ['which packet was shown', 'decisions', { decide: (vote) => ({ ...vote, packetHash: 'shown' }) }],
  ['whether a person votes', 'decisions', { decide: (vote) => ({ ...vote, kind: 'person' }) }],
  ['what a packet replaces', 'approvals-opened', { openApproval: (asked) => ({ ...asked, replaces: undefined }) }],
  ['what was waited for', 'approvals-opened', { openApproval: (asked) => ({ ...asked, waiting: undefined }) }],
  ['what a saga undoes', 'saga-slots', { appendToSaga: ({ undone: _, ...write }) => write }],
  ['who has it in hand', 'verifications', { claimVerifications: (query) => ({ ...query, forMs: 0 }) }],
]

describe('a row tells of a ledger that does not look at', () => {
  it.each(blindSpots)('%s [verdicts-are-frozen]', async (_, family, spoiling) => {
    const stage = memoryStage((ledger) => spoiled(ledger, spoiling))
    expect(await tells(familyOf(family), stage)).toBe(true)
  })
})

/** Rows have counters of their own: how calls of one batch share one is for histories to find out (postgres-model.test.ts). */
const byHistoriesAlone = ['amounts count as one']

/** Which family finds the fault. */
const finders: Readonly<Record<string, string>> = {
  'an overtaken operation does not start over': 'admissions-implicit',
  'a declined operation of a pointer does not start over': 'admissions-pointer',
  'an approval serves another operation than its own': 'admissions-approved',
  'what is refused costs its rate': 'admissions-refused',
  'an admission that is sent again is a new one': 'admissions-caller',
  'any attempt settles': 'settles-other-attempt',
  'an attempt given up cannot turn out to have happened': 'settles-generations',
  'nothing is overtaken': 'settles-overtaking',
  'nothing is given back': 'settles-generations',
  'what happened after all is not taken again': 'settles-generations',
  'what is spent twice counts once': 'settles-other-attempt',
  'a later window is given back what an earlier one had': 'windows',
  'a raise outlives its window': 'windows',
}

/** Of rules that histories seldom come to. */
const others: readonly (PlantedFault & { readonly family: string })[] = [
  {
    name: 'a generation never has seen too many ids',
    family: 'admissions-full',
    routine: 'admit',
    from: 'cardinality(k.provider_call_ids) >= p_max_seen',
    to: 'false',
  },
  {
    name: 'the newest generation answers for all',
    family: 'admissions-generations',
    routine: 'newest_slot',
    from: 'coalesce(p_provider = any (k.provider_call_ids), false) desc, ',
    to: '',
  },
  {
    name: 'a revoked grant stays in force',
    family: 'admissions-granted',
    routine: 'grant_force',
    from: 'not revoked and ',
    to: '',
  },
  {
    name: 'an end that waits to be known answers what became of it',
    family: 'settles-same-attempt',
    routine: 'status_ends',
    from: "when 'PENDING' then false",
    to: "when 'PENDING' then true",
  },
  {
    name: 'every end without effect gives its approval back',
    family: 'settles-approved',
    routine: 'status_frees',
    from: "when 'FAILED_FINAL' then false",
    to: "when 'FAILED_FINAL' then true",
  },
  {
    name: 'a late end asks what became of its attempt',
    family: 'settles-same-attempt',
    routine: 'settle_asks_own',
    from: "when 'late' then false",
    to: "when 'late' then true",
  },
  {
    name: 'a late end says what is to be read back',
    family: 'verifications',
    routine: 'settle_reads_back',
    from: "when 'late' then false",
    to: "when 'late' then true",
  },
  {
    name: 'an end of an operation that has no record is settled',
    family: 'settles-same-attempt',
    routine: 'settle_fit',
    from: "when slot = 'absent' then 'late'",
    to: "when slot = 'absent' then 'settled'",
  },
  {
    name: 'an end answers nothing that was asked before',
    family: 'settles-same-attempt',
    routine: 'settle_answers',
    from: "when 'settled' then true",
    to: "when 'settled' then false",
  },
  {
    name: 'what has run out still waits for people',
    family: 'approvals-opened',
    routine: 'approval_status',
    from: "when over then 'expired'",
    to: "when false then 'expired'",
  },
  {
    name: 'a pass that was never admitted overwrites another of its number',
    family: 'standing-sent-once',
    routine: 'standing_record',
    from: 'when yields and newer',
    to: 'when false',
  },
  {
    name: 'what came late the first time is settled the second time',
    family: 'standing-sent-twice',
    routine: 'record',
    from: "or f.binds_call is not null then 'again'",
    to: "or true then 'again'",
  },
  {
    name: 'answers of operations that are pending are amended',
    family: 'entries',
    routine: 'slot_amending',
    from: "status in ('PENDING', 'EXPIRED')",
    to: 'false',
  },
  {
    name: 'what an earlier window had counts in a later one',
    family: 'windows',
    routine: 'count_in',
    from: 'when newest_from > known_from then',
    to: 'when false then',
  },
  {
    name: 'reads are refused for what an earlier window had',
    family: 'windows',
    routine: 'take_counter',
    from: 'used = proviso.count_in_v1(known => x.used, known_from => x.window_from, newest_from => excluded.window_from) + excluded.used',
    to: 'used = x.used + excluded.used',
  },
  {
    name: 'a saga closes what may have happened',
    family: 'saga-slots',
    routine: 'slot_closing',
    from: "else 'open'",
    to: "else 'closed'",
  },
]

const all = [
  ...planted.flatMap((fault) => {
    const family = finders[fault.name]
    return family === undefined ? [] : [{ ...fault, family }]
  }),
  ...others,
]

describe('a row tells of functions in SQL in which', () => {
  const databases = databasesOfFile()
  const clients: pg.Client[] = []
  let stage: Stage

  beforeAll(async () => {
    const url = await databases.fresh()
    stage = await postgresStage(url)
    const client = new pg.Client(url)
    await client.connect()
    clients.push(client)
  })

  afterAll(async () => {
    await stage.close()
    for (const client of clients) await client.end()
  })

  it.each(all.map((fault) => [fault.name, fault] as const))('%s [verdicts-are-frozen]', async (_, fault) => {
    const [client] = clients
    if (client === undefined) throw new Error('The database is not open.')
    const mend = await plant(client, fault)
    try {
      expect(await tells(familyOf(fault.family), stage)).toBe(true)
    } finally {
      await mend()
    }
  })

  it.each(['admissions-implicit', 'standing-sent-once', 'saga-slots'])(
    'and of none in %s once they are mended',
    async (family) => {
      expect(await differences(familyOf(family), stage)).toEqual([])
    },
  )

  it('has a family that finds each fault that is planted anywhere, but for those that only histories find', () => {
    const names = planted.map(({ name }) => name)
    expect([...Object.keys(finders), ...byHistoriesAlone].toSorted()).toEqual(names.toSorted())
  })
})
