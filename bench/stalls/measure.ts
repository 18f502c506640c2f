// Measures how long the event loop of the host stands still over text that is made to cost much: each way of reading, scanning, checking,
// normalizing and comparing what others write, from 1 KB to its stated bound, 16 MB at most.
// Exit 0: no stall is longer than the target; 1: some are, and are listed.
import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { readArguments, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { type StallCase, textCases } from './cases.ts'
import { replyCases } from './reply-cases.ts'
import { pinCases, ruleCases, validatorCases } from './schema-cases.ts'
import { leastStall } from './watch-stalls.ts'

const flags = readArguments({
  data: { type: 'string' },
  rows: { type: 'string' },
  only: { type: 'string', default: '' },
})
const targetMs = 50
const mostRuns = 3
const sizes = [1_024, 65_536, 1_048_576, 16_777_216]

interface Row {
  readonly kind: string
  readonly name: string
  readonly bytes: number
  readonly stall_ms: number
  readonly whole_ms: number
  readonly runs: number
  readonly synchronous?: string
}

const started = performance.now()
const cases: readonly StallCase[] = [...textCases, ...validatorCases, ...ruleCases, ...pinCases, ...replyCases].filter(
  ({ kind, name }) => `${kind}: ${name}`.includes(flags.only),
)
const out = flags.rows === undefined ? undefined : createWriteStream(resolve(flags.rows))
const rows: Row[] = []
for (const { kind, name, bound, synchronous, prepare } of cases) {
  for (const bytes of [...sizes.filter((size) => size < bound), bound]) {
    const { stallMs, wholeMs, runs } = await leastStall(() => prepare(bytes), targetMs, mostRuns)
    const row: Row = {
      kind,
      name,
      bytes,
      stall_ms: rounded(stallMs),
      whole_ms: rounded(wholeMs),
      runs,
      ...(synchronous === undefined ? {} : { synchronous }),
    }
    rows.push(row)
    out?.write(`${JSON.stringify(row)}\n`)
    if (stallMs > targetMs) say(`${rounded(stallMs)} ms: ${kind}: ${name}, ${bytes} bytes`)
    // What stands still for a second does so longer with more, and says nothing new.
    if (stallMs > 1_000) break
  }
}
out?.end()

const tooLong = rows.filter((row) => row.stall_ms > targetMs).sort((a, b) => b.stall_ms - a.stall_ms)
report(
  {
    longest_stall_ms: Math.max(0, ...rows.map((row) => row.stall_ms)),
    target_ms: targetMs,
    met: tooLong.length === 0,
    cases: cases.length,
    rows: rows.length,
    too_long: tooLong.map(({ kind, name, bytes, stall_ms }) => ({ kind, name, bytes, stall_ms })),
    by_kind: Object.fromEntries(
      [...Map.groupBy(rows, ({ kind }) => kind)].map(([kind, own]) => [
        kind,
        Math.max(...own.map((row) => row.stall_ms)),
      ]),
    ),
    judged_by: `processor time of the main thread between two turns of the event loop, the least of up to ${mostRuns} runs`,
    seconds: Math.round((performance.now() - started) / 1_000),
    machine: thisMachine(),
  },
  flags.json,
)
process.exitCode = tooLong.length === 0 ? 0 : 1

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}
