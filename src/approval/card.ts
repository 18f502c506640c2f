// The card: a packet as plain text for the person who decides, all twelve fields of the specification. Labels stand at the border and
// values further in, so that no value can pass for a field.

import type { Packet, PacketArgument } from '../contract/approval/approval.ts'
import { countVotes, type Demand, patternRow } from '../contract/approval/approval-pattern.ts'
import { concreteArguments } from '../contract/tool/declared-defaults.ts'
import { type EpochMs, toIso } from '../json/clock.ts'
import { hashJson } from '../json/hash.ts'
import { fieldPath } from '../json/pointer.ts'
import type { JsonObject } from '../json/value.ts'
import { classWords } from './consequence.ts'
import { atomsOf, cutShown, sealText, shownText, shownValue } from './shown-text.ts'

export interface CardOptions {
  /** Columns; at least 40. */
  readonly width?: number
  readonly now: EpochMs
  /** With every field in full, however long. A card that is cut says so, and is to be opened before it is approved. */
  readonly whole?: boolean
}

/** How much a card shows: every limit of it stands here, so that without bounds it shows all. */
interface Bounds {
  readonly sentence: number
  readonly name: number
  readonly rows: number
  readonly value: number
  readonly path: number
}

const short: Bounds = { sentence: 2_000, name: 200, rows: 200, value: 1_000, path: 200 }
const unbounded: Bounds = {
  sentence: Number.POSITIVE_INFINITY,
  name: Number.POSITIVE_INFINITY,
  rows: Number.POSITIVE_INFINITY,
  value: Number.POSITIVE_INFINITY,
  path: Number.POSITIVE_INFINITY,
}

/** Whether a card of this packet leaves anything out, in any field: it has to be opened before it may be approved. */
export function isCardCut(packet: Packet): boolean {
  const shown = (bounds: Bounds) => fieldsOf(packet, packet.expiresAt, bounds)
  return JSON.stringify(shown(short)) !== JSON.stringify(shown(unbounded))
}

const rowsOf = (state: JsonObject | null): readonly PacketArgument[] =>
  state === null ? [] : concreteArguments(state, {})

export function renderCard(packet: Packet, { width = 80, now, whole = false }: CardOptions): string {
  const columns = Math.max(40, Math.trunc(width))
  const rule = `+${'-'.repeat(columns - 1)}`
  const opening = !whole && isCardCut(packet) ? [cutField] : []
  const fields = [...opening, ...fieldsOf(packet, now, whole ? unbounded : short)].flatMap(([label, lines]) => [
    `| ${label}:`,
    ...lines.flatMap((line) => wrap(sealText(line), columns)),
    '|',
  ])
  return [rule, '| CONFIRMATION REQUEST REQUIRED', rule, '|', ...fields, rule].join('\n')
}

type CardField = readonly [label: string, lines: readonly string[]]

const cutField: CardField = [
  'Not All Is Shown',
  ['A part of it is cut below. Open the whole packet before you approve it.'],
]

function fieldsOf(packet: Packet, now: EpochMs, bounds: Bounds): readonly CardField[] {
  const { actionName, riskClass, requester, beforeState, afterState } = packet
  const text = (given: string) => shownText(given, bounds.value)
  const name = (given: string | undefined) => shownName(given, bounds)
  return [
    ['Action', [text(actionName.title)]],
    ['Tool', [`${text(actionName.tool)} ${text(actionName.version)}`]],
    ['Consequence', [cutShown(packet.consequence, bounds.sentence)]],
    ['Arguments', argumentLines(packet.arguments, bounds)],
    ['Before State', beforeState === null ? ['not known'] : argumentLines(rowsOf(beforeState), bounds)],
    ['Expected After State', afterLines(beforeState, afterState, bounds)],
    ['Idempotency Fingerprint', [text(packet.fingerprint)]],
    [
      'Risk Class',
      [
        `${riskClass.class}: ${classWords[riskClass.class]}`,
        ...riskClass.why.map(({ source, message }) => `${text(source)}: ${text(message)}`),
      ],
    ],
    ['Approval Expires', [`${toIso(packet.expiresAt)} (${remaining(packet.expiresAt - now)})`]],
    ['Approvers', approverLines(packet, bounds)],
    ['Compensation', [text(packet.compensation)]],
    ['If Rejected', [text(packet.rejectionPath)]],
    ['Trace', [text(packet.trace)]],
    [
      'Requested By',
      [
        `user ${name(requester.user)}, agent ${name(requester.agent)}`,
        `tenant ${name(packet.tenant)}, run ${name(packet.run)}, call ${name(packet.callId)}`,
      ],
    ],
  ]
}

function argumentLines(rows: readonly PacketArgument[], { rows: most, value: limit, path }: Bounds): readonly string[] {
  if (rows.length === 0) return ['none']
  const lines = rows.slice(0, most).map(({ pointer, value, origin }) => {
    const line = `${shownPath(pointer, path)}: ${shownValue(value, limit)}`
    return origin === 'default' ? `${line} (default)` : line
  })
  if (rows.length <= most) return lines
  const all = hashJson(rows.map((row) => ({ ...row })))
  return [...lines, `… ${rows.length - most} more of ${rows.length} are not shown; sha256 of all ${all}`]
}

/** As a difference: `status: "open" → "paid"`, `+` for what is new, `-` for what is gone. */
function afterLines(before: JsonObject | null, after: JsonObject | null, bounds: Bounds): readonly string[] {
  if (after === null) return ['not known beforehand']
  const rows = rowsOf(after)
  if (before === null) return argumentLines(rows, bounds)
  const { rows: most, value: limit, path } = bounds
  const old = new Map(rowsOf(before).map(({ pointer, value }) => [pointer, shownValue(value, limit)]))
  const lines: string[] = []
  let unchanged = 0
  for (const { pointer, value } of rows) {
    const [was, is] = [old.get(pointer), shownValue(value, limit)]
    old.delete(pointer)
    if (was === is) unchanged++
    else
      lines.push(
        was === undefined ? `+ ${shownPath(pointer, path)}: ${is}` : `${shownPath(pointer, path)}: ${was} → ${is}`,
      )
  }
  for (const [pointer, was] of old) lines.push(`- ${shownPath(pointer, path)}: ${was}`)
  const rest = `${lines.length === 0 ? 'nothing changes; ' : ''}${unchanged} ${unchanged === 1 ? 'field' : 'fields'} unchanged`
  if (lines.length <= most) return [...lines, rest]
  const all = hashJson(after)
  return [...lines.slice(0, most), `… ${lines.length - most} more changes are not shown; sha256 of the state ${all}`]
}

function approverLines(
  { approvers: { requirement, decisions }, requester }: Packet,
  bounds: Bounds,
): readonly string[] {
  const count = countVotes(requirement, decisions, requester.user)
  return [
    `${patternRow(requirement.pattern).title}: ${requirement.demands.map((demand) => demandText(demand, bounds)).join(', and ')}`,
    ...decisions.map(({ by, roles, verdict, at, reason }) => {
      const held = roles.length === 0 ? 'no role' : roles.map((role) => shownText(role, bounds.value)).join(', ')
      const why = reason === undefined ? '' : `: ${shownValue(reason, bounds.value)}`
      return `${shownName(by, bounds)} (${held}) ${verdict} at ${toIso(at)}${why}`
    }),
    shownText(count.reason, bounds.value),
  ]
}

function demandText({ decides, roles, quorum }: Demand, bounds: Bounds): string {
  if (decides === 'requester') return 'the user who asked'
  const people = quorum === 1 ? '1 person' : `${quorum} different people`
  const held =
    roles.length === 0 ? '' : ` with the role ${roles.map((role) => shownText(role, bounds.value)).join(' or ')}`
  return `${people}${held}, not the user who asked`
}

const shownPath = (pointer: string, limit: number): string => shownText(fieldPath(pointer), limit)

function shownName(name: string | undefined, bounds: Bounds): string {
  return name === undefined ? 'none' : shownValue(name, bounds.name)
}

function remaining(ms: number): string {
  if (!(ms > 0)) return 'has run out'
  for (const [unit, size] of [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const) {
    const whole = Math.floor(ms / size)
    if (whole > 0) return `in ${whole} ${unit}${whole === 1 ? '' : 's'}`
  }
  return 'in less than a minute'
}

// East Asian wide and emoji, near enough for a margin; marks take no room of their own.
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const widthOf = (atom: string): number => (atom.length === 1 && atom <= '~' ? 1 : widthOfEach([...atom]))
const widthOfEach = (characters: readonly string[]): number =>
  characters.reduce((sum, each) => sum + (/^\p{M}$/u.test(each) ? 0 : wide.test(each) ? 2 : 1), 0)

/** Breaks after spaces and shown line feeds, else wherever it must; what goes on stands two columns further in. */
function wrap(line: string, columns: number): readonly string[] {
  const lines: string[] = []
  let text = '|   '
  let used = 4
  let empty = true
  const next = () => {
    lines.push(text)
    text = '|     '
    used = 6
    empty = true
  }
  const add = (atoms: readonly string[], size: number) => {
    if (!empty && used + size > columns) next()
    for (const atom of atoms) {
      if (!empty && used + widthOf(atom) > columns && widthOf(atom) > 0) next()
      text += atom
      used += widthOf(atom)
      empty = false
    }
  }
  let word: string[] = []
  let size = 0
  for (const atom of atomsOf(line)) {
    word.push(atom)
    size += widthOf(atom)
    if (atom !== ' ' && atom !== '\\u{a}') continue
    // A space that ends a line may stand in the margin.
    add(word, atom === ' ' ? size - 1 : size)
    word = []
    size = 0
    if (atom === '\\u{a}') next()
  }
  add(word, size)
  if (!empty || lines.length === 0) lines.push(text)
  return lines.map((whole) => whole.trimEnd())
}
