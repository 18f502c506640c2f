// Who reaches what of another: every public method, every kind of thing, and one who differs in tenant, user, agent or role.
import { writeFile } from 'node:fs/promises'
import { readArguments, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { figuresOf, missedIn, playMatrix } from './matrix.ts'

const flags = readArguments({
  rows: { type: 'string' },
  // Nothing of it is needed here; every measurement takes it.
  data: { type: 'string' },
})
const cells = await playMatrix()
const figures = figuresOf(cells)
for (const { method, object, dimension } of missedIn(cells))
  say(`missed: ${method} of ${object} by another ${dimension}`)
for (const row of figures.idle) say(`declared and never reached: ${row}`)
if (flags.rows !== undefined) await writeFile(flags.rows, cells.map((cell) => `${JSON.stringify(cell)}\n`).join(''))
report(
  {
    ...figures,
    met: { none_missed: figures.missed === 0, none_idle: figures.idle.length === 0 },
    machine: thisMachine(),
  },
  flags.json,
)
process.exitCode = figures.missed === 0 && figures.idle.length === 0 ? 0 : 1
