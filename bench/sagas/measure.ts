// Kills processes between any two steps of sagas with approvals, compensations in doubt, a changed definition and a saga within a saga.
// Exit 0: nothing twice, nothing undone without a reason, everything ended or asked; 1: otherwise.
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { defaultData, readArguments, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { courses } from './plan.ts'
import { type KillOutcome, openKillTrial } from './run-kills.ts'

const flags = readArguments({ data: { type: 'string', default: defaultData }, rows: { type: 'string' } })
/** Most of the time a saga waits for a lease. */
const width = 4
const trial = await openKillTrial()
const outcomes: KillOutcome[] = []
try {
  for (const course of courses) {
    const points = await trial.points(course)
    say(`${course}: ${points.length} points, with the same and with a changed definition`)
    const kills = [false, true].flatMap((changed) => points.map((_, index) => ({ course, changed, at: index + 1 })))
    const lane = async () => {
      for (let kill = kills.shift(); kill !== undefined; kill = kills.shift()) {
        const outcome = await trial.run(kill)
        outcomes.push(outcome)
        if (outcome.problems.length > 0) say(`PROBLEM ${JSON.stringify(outcome)}`)
      }
    }
    await Promise.all(Array.from({ length: width }, lane))
  }
} finally {
  await trial.end()
}
if (flags.rows !== undefined)
  await writeFile(resolve(flags.rows), outcomes.map((row) => `${JSON.stringify(row)}\n`).join(''))
const wrong = outcomes.filter(({ problems }) => problems.length > 0)
report(
  {
    kills: outcomes.length,
    with_changed_definition: outcomes.filter(({ changed }) => changed).length,
    by_end: Object.fromEntries(
      [...new Set(outcomes.map(({ state }) => state))]
        .sort()
        .map((state) => [state, outcomes.filter((row) => row.state === state).length]),
    ),
    people_were_asked: outcomes.reduce((sum, { asked }) => sum + asked, 0),
    problems: wrong.length,
    target: { problems: 0 },
    machine: thisMachine(),
  },
  flags.json,
)
if (wrong.length > 0) process.exitCode = 1
