// Explores the protocol of the ledger: all orders in which a few processes, calls and mishaps can meet, by the rules that the ledger itself
// asks. `--small` is what every `npm test` does; without it all of it, in some minutes.
import { readArguments, readCount, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { checkProtocol, isClean, smallPlants } from './run-check.ts'
import { large, small } from './settings.ts'

const flags = readArguments({
  small: { type: 'boolean', default: false },
  only: { type: 'string' },
  histories: { type: 'string' },
})
const all = flags.small ? small : [...small, ...large]
const settings = all.filter(({ name }) => name.includes(flags.only ?? ''))
if (settings.length === 0) {
  say(`--only takes a part of one of these names: ${all.map(({ name }) => name).join('; ')}`)
  process.exit(2)
}
const began = performance.now()
let said = 0
const checked = await checkProtocol({
  settings,
  plants: smallPlants(settings),
  histories: flags.histories === undefined ? (flags.small ? 150 : 2_000) : readCount(flags.histories, 'histories'),
  // Two gigabytes of them.
  maxStates: 4_000_000,
  onProgress(what, done, of) {
    if (performance.now() - said < 2_000) return
    said = performance.now()
    say(`${done} of ${of}: ${what}`)
  },
})
for (const { setting, what, history } of checked.violations) say(`${setting}: ${what}\n  ${history.join('\n  ')}`)
for (const difference of checked.differences.slice(0, 5)) say(difference)
for (const { name, found, history } of checked.plants)
  say(found === undefined ? `NOT FOUND: ${name}` : `planted: ${name}\n  found: ${found}\n  ${history.join('\n  ')}`)
const seconds = Math.round((performance.now() - began) / 100) / 10
const megabytes = Math.round(process.resourceUsage().maxRSS / 1_024)
const clean = isClean(checked) && (flags.only !== undefined || checked.rows_never_fired.length === 0)
report(
  { ...checked, violations: checked.violations.length, clean, seconds, megabytes, machine: thisMachine() },
  flags.json,
)
process.exitCode = clean ? 0 : 1
