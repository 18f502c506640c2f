// Who may spend how much, under race: one budget and five hundred calls at once, in one process, from eight, and from eight of which three
// are killed; a quorum that eight processes decide on at the same instant; what budgets, rules and policies add to a call, and what a family
// of 2,500 runs adds.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { readArguments, readCount, report, say } from '../arguments.ts'
import { startServer } from '../durable/server.ts'
import { thisMachine } from '../machine.ts'
import { commitsOfCall, fiveLimits } from './commits.ts'
import { costOfFamily } from './families.ts'
import { centsOf } from './payments.ts'
import { raceForQuorum } from './quorum-race.ts'
import { raceInMemory, raceOnPostgres } from './spend-race.ts'

const flags = readArguments({
  calls: { type: 'string', default: '512' },
  processes: { type: 'string', default: '8' },
  packets: { type: 'string', default: '20' },
  rows: { type: 'string' },
  // Nothing of it is needed here; every measurement takes it.
  data: { type: 'string' },
})
const calls = readCount(flags.calls, 'calls')
const processes = Math.max(1, readCount(flags.processes, 'processes'))
const packets = readCount(flags.packets, 'packets')
/** A third of the attempts and a little more. */
const doomed = Math.ceil(processes / 3)
const total = Array.from({ length: calls }, (_, index) => centsOf(index + 1)).reduce((a, b) => a + b, 0)
/** Enough for some half of the payments. */
const race = { calls, processes, budgetCents: Math.floor(total / 2) }

const server = await startServer()
try {
  const memory = await raceInMemory(race)
  say(`memory: ${memory.happened} of ${calls} paid ${memory.spent_in_the_world} of ${memory.budget}`)
  const postgres = await raceOnPostgres(await server.database('calm'), race, 0)
  say(`Postgres, ${processes} processes: ${postgres.happened} paid ${postgres.spent_in_the_world}`)
  const killed = await raceOnPostgres(await server.database('killed'), race, doomed)
  say(`with ${killed.killed_attempts} attempts killed: ${killed.happened} paid ${killed.spent_in_the_world}`)
  const quorum = await raceForQuorum(await server.database('quorum'), packets)
  say(`quorum: ${quorum.decisions} decisions on ${quorum.packets} packets`)
  const one = await commitsOfCall(await server.database('one'), { write: 1_000_000 }, 200)
  const five = await commitsOfCall(await server.database('five'), fiveLimits, 200)
  say(`a call writes ${one.writes_per_call} times with one limit, ${five.writes_per_call} times with five`)
  const family = await costOfFamily(await server.database('family'), 2_500)
  say(`a child of 2,500 costs ${family.last_ms.toFixed(2)} ms, one of the first hundred ${family.first_ms.toFixed(2)}`)
  const rules = await figuresOf('rules.ts')
  const cedar = await figuresOf('cedar.ts')
  const races = { memory, postgres, killed, quorum }
  if (flags.rows !== undefined) {
    const lines = Object.entries(races).map(([name, row]) => `${JSON.stringify({ name, ...row })}\n`)
    await writeFile(flags.rows, lines.join(''))
  }
  const met = {
    ...Object.fromEntries(
      Object.entries(races).flatMap(([name, row]) =>
        Object.entries(row.met).map(([what, holds]) => [`${name}_${what}`, holds]),
      ),
    ),
    a_third_killed: killed.killed_share >= 1 / 3 - 0.005,
    // Upkeep may write once in a while; a commit of their own would be a whole one for each call.
    budgets_add_no_commit: Math.abs(five.writes_per_call - one.writes_per_call) < 0.1,
    family_at_constant_cost: family.met.constant,
    ...rules.met,
    ...cedar.met,
  }
  const limits = { one_limit: one, five_limits: five, family }
  report({ ...races, ...limits, rules, cedar, met, machine: thisMachine() }, flags.json)
  process.exitCode = Object.values(met).every(Boolean) ? 0 : 1
} finally {
  await server.stop()
}

/** The script beside this one reports by itself; here its figures stand with the others. */
async function figuresOf(script: string): Promise<{ readonly met: Readonly<Record<string, boolean>> }> {
  const path = new URL(script, import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, [path, '--json'])
  const { machine: _here, ...figures } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}')
  return figures
}
