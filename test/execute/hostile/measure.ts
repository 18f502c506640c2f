// What a hostile program reaches, in every way that this machine has: as root and as a user, inside bubblewrap and beside us. Exit 1 where it
// has reached something that the table does not let it, or where no way could be tried.
import { appendFileSync, writeFileSync } from 'node:fs'
import { nothingJudged, readArguments, report, say } from '../../../bench/arguments.ts'
import { thisMachine } from '../../../bench/machine.ts'
import { attacks } from './attacks.ts'
import { attackEveryWay } from './every-way.ts'

const { rows, json } = readArguments({
  rows: { type: 'string' },
  // Nothing of it is needed here; every measurement takes it.
  data: { type: 'string' },
})
if (rows !== undefined) writeFileSync(rows, '')

const reports = await attackEveryWay(({ way, user, skipped, reached, faults }) => {
  if (skipped !== undefined) return say(`${way}: skipped, because ${skipped}`)
  say(
    `${way}, as user ${user}: ${Object.values(reached).filter((how) => how === null).length} of ${Object.keys(reached).length} attacks came to nothing`,
  )
  for (const [attack, { aim, lets }] of Object.entries(attacks)) {
    const how = reached[attack] ?? null
    const allowed = lets.includes(way)
    if (rows !== undefined)
      appendFileSync(rows, `${JSON.stringify({ way, user, attack, aim, reached: how, allowed })}\n`)
    if (how !== null) say(`  ${allowed ? 'as the guide says' : 'FAULT'}: it ${aim} (${how})`)
  }
  for (const fault of faults) say(`FAILED: ${fault}`)
})
const tried = reports.filter(({ skipped }) => skipped === undefined)
const figures = Object.fromEntries(
  reports.map(({ way, skipped, reached, faults }) => [
    way,
    skipped === undefined
      ? {
          attacks: Object.keys(reached).length,
          reached: Object.values(reached).filter((how) => how !== null).length,
          reached_against_the_guide: faults.length,
        }
      : { skipped },
  ]),
)
const holds = tried.every(({ faults }) => faults.length === 0)
report({ ways: figures, holds, machine: thisMachine() }, json)
process.exitCode = tried.length === 0 ? nothingJudged : holds ? 0 : 1
