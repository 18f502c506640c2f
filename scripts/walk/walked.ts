// One walk, taken and printed. Each stretch shows the files that are passed there for the first time, so that the page reads in order.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Stretch, watchBoundaries } from './boundaries.ts'
import type { Walk } from './walks.ts'
import { watchLedger, watchPhases } from './watched.ts'

export interface Walked {
  readonly walk: string
  readonly does: string
  readonly files: number
  readonly lines: number
  /** Lines of the longest file. */
  readonly longest: number
  readonly stretches: readonly Stretch[]
}

const boundaries = watchBoundaries()
watchPhases(boundaries)

export async function walkOn(url: string, walk: Walk): Promise<Walked> {
  const scene = await walk.stage(url, (ledger) => watchLedger(ledger, boundaries))
  boundaries.begin(walk.begins)
  await scene.act()
  const stretches = boundaries.stretches()
  await scene.end()
  const files = [...new Set(stretches.flatMap((stretch) => stretch.files))]
  const lines = files.map(
    (file) => readFileSync(resolve(import.meta.dirname, '../../src', file), 'utf8').split('\n').length - 1,
  )
  const total = lines.reduce((sum, count) => sum + count, 0)
  return { walk: walk.name, does: walk.does, files: files.length, lines: total, longest: Math.max(...lines), stretches }
}

export function printWalk({ does, files, lines, longest, stretches }: Walked): string {
  const passed = new Set<string>()
  const rows = stretches.map((stretch) => {
    const first = stretch.files.filter((file) => !passed.has(file))
    for (const file of first) passed.add(file)
    const before = stretch.files.length - first.length
    const known = before === 0 ? [] : [`(and ${before} passed before)`]
    return [stretch.name, ...[...first, ...known].map((line) => `  ${line}`), ''].join('\n')
  })
  return `${does}: ${files} files, ${lines} lines, the longest ${longest}\n\n${rows.join('\n')}`
}
