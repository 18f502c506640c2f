// What the processes of a site have recorded, told by operation, and held to the model of the protocol: each must be a path of it.
import { existsSync, readFileSync } from 'node:fs'
import type { SlotKind } from '../../src/contract/call/slot.ts'
import { sendAgainMs } from '../../src/execute/attempt/recovery.ts'
import { type History, judgeHistory, type Moment, type Use } from '../protocol/history.ts'
import type { Setting } from '../protocol/setting.ts'
import { historiesIn, type RecordedLine, type RecordedTools } from './recorded-ledger.ts'
import { defaultTimeoutMs, defaultWindowMs, type ToolKind, type ToolSpec } from './tool-spec.ts'

export interface HistoriesJudged {
  readonly recorded: number
  /** Told apart by what happened in them. */
  readonly different: number
  readonly paths: number
  readonly notPaths: readonly string[]
  /** Why some were not judged, and how many. */
  readonly leftOut: Readonly<Record<string, number>>
}

/** The lines that speak of one operation. */
interface Told {
  readonly slot: string
  readonly spec: ToolSpec | undefined
  readonly lines: readonly RecordedLine[]
}

/** A verifier's operation that is told as none and has happened takes 280,000 to be known for no path. */
const maxPlaces = 400_000
const mostProcesses = 12
const mostCalls = 8
const mostPasses = 255

const known = new Map<string, ReturnType<typeof judgeHistory>>()

export function judgeHistories(folder: string): HistoriesJudged {
  const leftOut: Record<string, number> = {}
  const notPaths: string[] = []
  const texts = new Set<string>()
  let paths = 0
  const all = toldIn(folder)
  for (const told of all) {
    const history = historyOf(told)
    if (typeof history === 'string') {
      leftOut[history] = (leftOut[history] ?? 0) + 1
      continue
    }
    const text = JSON.stringify(history)
    texts.add(text)
    const judged = known.get(text) ?? judgeHistory(history, maxPlaces)
    known.set(text, judged)
    if (judged.kind === 'path') paths++
    else if (judged.kind === 'too large') leftOut['too many orders'] = (leftOut['too many orders'] ?? 0) + 1
    else notPaths.push(`${told.spec?.name}: ${JSON.stringify(judged.use)}, moment ${judged.at}\n${linesOf(history)}`)
  }
  return { recorded: all.length, different: texts.size, paths, notPaths, leftOut }
}

const linesOf = ({ uses, moments }: History): string =>
  moments.map(({ at, use }, index) => `${index} ${at} ${use} ${JSON.stringify(uses[use])}`).join('\n')

function toldIn(folder: string): readonly Told[] {
  const file = historiesIn(folder)
  if (!existsSync(file)) return []
  const tools = new Map<string, ToolSpec>()
  const lines: RecordedLine[] = []
  for (const text of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const line = JSON.parse(text) as RecordedLine | RecordedTools
    if ('tools' in line) for (const spec of line.tools) tools.set(spec.name, spec)
    else lines.push(line)
  }
  const nameOf = ({ process, number }: RecordedLine) => `${process} ${number}`
  const answers = new Map(lines.filter(({ use }) => use === undefined).map((line) => [nameOf(line), line]))
  const slotOfCall = new Map<string, string>()
  for (const { id, slot } of lines) if (id !== undefined && slot !== undefined) slotOfCall.set(id, slot)
  const slotsOf = (line: RecordedLine): readonly string[] => {
    if (line.use === 'claim') return (answers.get(nameOf(line))?.found ?? []).map(({ slot }) => slot)
    const slot = line.slot ?? slotOfCall.get(line.id ?? '')
    return slot === undefined ? [] : [slot]
  }
  const bySlot = new Map<string, RecordedLine[]>()
  const slotsOfUse = new Map<string, readonly string[]>()
  for (const line of lines) {
    const slots = line.use === undefined ? (slotsOfUse.get(nameOf(line)) ?? []) : slotsOf(line)
    if (line.use !== undefined) slotsOfUse.set(nameOf(line), slots)
    for (const slot of slots) bySlot.set(slot, [...(bySlot.get(slot) ?? []), line])
  }
  return [...bySlot].map(([slot, own]) => ({
    slot,
    spec: tools.get(own.find(({ tool }) => tool !== undefined)?.tool ?? ''),
    lines: own,
  }))
}

const toolOfKind = {
  sql: 'ledger',
  provider: 'key',
  verifier: 'verifier',
  neither: 'neither',
} as const satisfies Record<ToolKind, Setting['tool']>

/** Too short for a request to be sent again in it. */
const isBrief = ({ windowMs = defaultWindowMs, timeoutMs = defaultTimeoutMs }: ToolSpec): boolean =>
  sendAgainMs(windowMs, timeoutMs) <= 0

/** Why it is not judged, or the history in the model's words. */
function historyOf({ slot, spec, lines }: Told): History | string {
  if (spec === undefined) return 'of a tool that the model does not know'
  if (spec.blind === true) return 'of a tool of which no way is known here'
  const processes = new Map<string, number>()
  const calls = new Map<string, number>()
  const kinds = new Set<SlotKind>()
  const numbered = <T>(map: Map<T, number>, name: T): number => {
    const number = map.get(name) ?? map.size
    map.set(name, number)
    return number
  }
  const answers = new Map<string, RecordedLine>()
  for (const line of lines) if (line.use === undefined) answers.set(`${line.process} ${line.number}`, line)
  const uses: Use[] = []
  const moments: Moment[] = []
  const numberOf = new Map<string, number>()
  /** Passes that had an attempt in hand. */
  const atWork = new Set<string>()
  const callOfId = new Map<string, string>()
  const ids: (string | undefined)[] = []
  const counted = { word: 0, closing: 0, undoing: 0 }
  let lost = 0
  let quorum = 1
  for (const line of lines) {
    const name = `${line.process} ${line.number}`
    if (line.use === undefined) {
      const use = numberOf.get(name)
      if (use !== undefined) moments.push({ at: 'answered', use })
      continue
    }
    const answer = answers.get(name)
    if (line.kind !== undefined) kinds.add(line.kind)
    const pass = `${line.process} ${line.call} ${line.pass}`
    // What is sent again begins a pass of its own, without an admission.
    if ((line.use === 'admit' && answer?.came === 'admitted') || line.use === 'end') atWork.add(pass)
    // What comes after the end of an attempt changes nothing of its operation.
    if (line.use === 'tell' && line.seen !== true && atWork.has(pass)) continue
    const came = answer === undefined || answer.came === 'lost' ? undefined : answer.came
    if (came === undefined) lost++
    // For want of an approval, or of room in a limit: it leaves nothing of its operation.
    if (line.use === 'admit' && came !== undefined && !['admitted', 'slot', 'known'].includes(came)) continue
    if (line.use === 'close') counted.closing++
    if (line.use === 'undo') counted.undoing++
    if (line.use === 'resolve') {
      counted.word++
      quorum = line.quorum ?? 1
    }
    const { call, ...fields } = fieldsOf(line, answer, slot)
    if (line.id !== undefined && call !== undefined) callOfId.set(line.id, call)
    ids[uses.length] = line.id
    const use: Use = {
      use: line.use === 'tell' ? (line.seen === true ? 'answer from the record' : 'turn away') : line.use,
      process: line.use === 'resolve' ? -1 : numbered(processes, line.process),
      ...(call === undefined ? {} : { call: numbered(calls, call) }),
      ...fields,
      ...(line.unseen === undefined ? {} : { unseen: line.unseen }),
      ...(came === undefined ? {} : { came }),
    }
    numberOf.set(name, uses.length)
    moments.push({ at: 'asked', use: uses.length })
    uses.push(use)
  }
  for (const [at, use] of uses.entries()) {
    const call = use.use === 'resolve' ? callOfId.get(ids[at] ?? '') : undefined
    if (call !== undefined) uses[at] = { ...use, call: numbered(calls, call) }
  }
  // Only read, or closed by a saga before it was asked for.
  const [kind = counted.closing > 0 ? 'caller' : 'implicit'] = kinds
  if (processes.size > mostProcesses) return `more than ${mostProcesses} processes`
  if (calls.size > mostCalls) return `more than ${mostCalls} calls`
  const setting: Setting = {
    ...settingFor(spec),
    kind,
    calls: Array.from({ length: Math.max(1, calls.size) }, () => ({ slot: 0, arguments: 0 })),
    processes: processes.size,
    quorum,
    may: { ...counted, crash: processes.size, cut: 1 + lost },
  }
  return { setting, uses, moments }
}

/** What a use says of the operation: by what was asked, or by what was given. */
function fieldsOf(line: RecordedLine, answer: RecordedLine | undefined, slot: string) {
  const { use } = line
  const found = answer?.found?.find((each) => each.slot === slot)
  const isGiven = use === 'read' || use === 'claim'
  const generation = isGiven ? found?.generation : line.generation
  const attempt = isGiven ? found?.attempt : use === 'admit' ? answer?.attempt : line.attempt
  const says = use === 'read' ? found?.says : use === 'end' || use === 'resolve' ? line.says : undefined
  return {
    call: use === 'claim' ? found?.call : line.call,
    ...(generation === undefined ? {} : { generation }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(says === undefined ? {} : { says }),
  }
}

/** All that such a tool and its processes can do. */
const settingFor = (spec: ToolSpec) => ({
  name: spec.kind,
  tool: toolOfKind[spec.kind],
  passes: mostPasses,
  starts: 1 + (spec.maxRetries ?? 0),
  guesses: [true, false],
  both: true,
  doubled: true,
  gates: true,
  window: isBrief(spec) ? ('brief' as const) : ('long' as const),
  verified: spec.verified === true,
  finals: true,
  looks: false,
})
