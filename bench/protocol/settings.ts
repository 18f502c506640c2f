// What is explored: each line one kind of tool, and what may go wrong beside it. Two processes and two calls of one operation, where
// nothing else is said.
import type { Setting } from './setting.ts'

const twins = [
  { slot: 0, arguments: 0 },
  { slot: 0, arguments: 0 },
] as const

const plain = { kind: 'implicit', calls: twins, passes: 1, starts: 1, processes: 2, looks: true, may: {} } as const

const ledger = { ...plain, tool: 'ledger' } as const
const key = { ...plain, tool: 'key' } as const
const verifier = { ...plain, tool: 'verifier' } as const
const neither = { ...plain, tool: 'neither' } as const
const alone = [{ slot: 0, arguments: 0 }] as const

/** Explored by every `npm test`. */
export const small: readonly Setting[] = [
  { ...ledger, name: 'commits with the ledger', may: { crash: 1, sleep: 1, cut: 1 } },
  { ...key, name: 'a key, one call', calls: alone, may: { crash: 1 } },
  { ...verifier, name: 'a verifier, one call', calls: alone, may: { crash: 1, sleep: 1 } },
  { ...neither, name: 'no way to tell', may: { crash: 1, sleep: 1 } },
  { ...neither, name: 'people', quorum: 2, calls: alone, passes: 2, may: { word: 2, mistake: 1 } },
  { ...neither, name: 'taken for new', guesses: [true, false], calls: alone, passes: 2, may: { cut: 1 } },
  { ...neither, name: 'turned away by a gate', gates: true, guesses: [true, false], calls: alone, passes: 3 },
  { ...neither, name: 'failures that are final', kind: 'pointer', finals: true, passes: 2 },
  { ...neither, name: 'operations of callers', kind: 'caller', finals: true, may: { closing: 2, crash: 1 } },
  { ...ledger, name: 'operations of callers that commit', kind: 'caller', may: { closing: 1, sleep: 1 } },
  { ...neither, name: 'other arguments', calls: [alone[0], { slot: 0, arguments: 1 }], may: { crash: 1 } },
  {
    ...ledger,
    name: 'one resource',
    calls: [alone[0], { slot: 1, arguments: 0 }, alone[0]],
    resource: true,
    may: { mistake: 0 },
  },
  {
    ...neither,
    name: 'closed by mistake, and started over',
    kind: 'pointer',
    may: { mistake: 1, word: 1, closing: 1 },
  },
  { ...ledger, name: 'what is undone', passes: 2, may: { undoing: 1 } },
  { ...ledger, name: 'answers that lapse', expires: true, passes: 2, amends: true },
  { ...neither, name: 'answers that change', amends: true, may: { crash: 1 } },
  { ...ledger, name: 'an approval', consent: 'approval' },
  { ...ledger, name: 'a standing approval', consent: 'grant' },
]

/** Besides those, by `test:full` and on demand. */
export const large: readonly Setting[] = [
  { ...neither, name: 'people, two calls', quorum: 2, passes: 2, may: { word: 2, mistake: 1 } },
  { ...neither, name: 'taken for new, two calls', guesses: [true, false], passes: 2, may: { cut: 1 } },
  { ...verifier, name: 'a verifier, processes that have just begun', young: true, may: { crash: 1 } },
  {
    ...ledger,
    name: 'commits with the ledger, everything',
    may: { crash: 1, sleep: 1, freeze: 1, cut: 1, loss: 1 },
  },
  { ...ledger, name: 'commits with the ledger, three processes', processes: 3, may: { crash: 1, cut: 1 } },
  { ...neither, name: 'no way to tell, everything', may: { crash: 1, sleep: 1, cut: 1, loss: 1 } },
  { ...neither, name: 'no way to tell, people', may: { crash: 1, sleep: 1, word: 1, mistake: 1 } },
  { ...neither, name: 'no way to tell, three processes', processes: 3, may: { crash: 1 } },
  { ...neither, name: 'no way to tell, started again', starts: 2, may: { crash: 1, sleep: 1 } },
  { ...key, name: 'a key, killed', may: { crash: 1 } },
  { ...key, name: 'a key, asleep', may: { sleep: 1 } },
  { ...key, name: 'a key, answers lost', may: { cut: 1 } },
  { ...key, name: 'a key, sessions lost', may: { loss: 1 } },
  { ...key, name: 'a key, people', may: { word: 1, mistake: 1 } },
  { ...key, name: 'a key, started again', starts: 2, may: { crash: 1 }, calls: alone, passes: 2 },
  { ...key, name: 'a key, a clock that steps', may: { step: 1 } },
  { ...verifier, name: 'a verifier, killed', may: { crash: 1 } },
  { ...verifier, name: 'a verifier, asleep', may: { sleep: 1 } },
  { ...verifier, name: 'a verifier, clocks that stand still', may: { freeze: 1 } },
  {
    ...verifier,
    name: 'a verifier, clocks that stand still until it is killed',
    calls: alone,
    may: { freeze: 1, crash: 1 },
  },
  {
    ...verifier,
    name: 'a verifier, clocks that stand still, three processes',
    calls: alone,
    processes: 3,
    may: { freeze: 1 },
  },
  {
    ...verifier,
    name: 'a verifier, clocks that stand still and answers lost',
    calls: alone,
    may: { freeze: 1, cut: 1 },
  },
  { ...verifier, name: 'a verifier, answers lost', may: { cut: 1 } },
  { ...verifier, name: 'a verifier, sessions lost', may: { loss: 1 } },
  { ...verifier, name: 'a verifier, a clock that steps', may: { step: 1 } },
  { ...verifier, name: 'a verifier, killed and asleep', calls: alone, may: { crash: 1, sleep: 1 } },
  { ...verifier, name: 'a verifier, people', may: { word: 1, mistake: 1 } },
  { ...verifier, name: 'a verifier that cannot always read', unreadable: 'sometimes', may: { crash: 1 }, calls: alone },
  { ...verifier, name: 'a verifier that can never read', unreadable: 'always', may: { crash: 1 } },
  { ...verifier, name: 'a verifier behind a pooler', poolers: true, may: { sleep: 1 } },
  { ...verifier, name: 'a verifier, owners that cannot be cut off', powerless: true, may: { freeze: 1 }, calls: alone },
  { ...verifier, name: 'a verifier, an executor that heeds its signal only', looks: false, may: { step: 1 } },
  { ...verifier, name: 'its signal only, killed', looks: false, calls: alone, may: { step: 1, crash: 1 } },
  {
    ...verifier,
    name: 'a verifier, a process that recovers beside its call',
    both: true,
    calls: alone,
    may: { sleep: 1 },
  },
  {
    ...verifier,
    name: 'a verifier, one resource',
    calls: [alone[0], { slot: 1, arguments: 0 }, alone[0]],
    resource: true,
    processes: 1,
    may: { crash: 1 },
  },
]
