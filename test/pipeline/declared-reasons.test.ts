// The table of phases against the code of the phases: what a phase can stop with stands in its row, and nothing stands there that it
// cannot stop with.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { effects } from '../../src/contract/effects.ts'
import { taxonomy } from '../../src/contract/taxonomy.ts'
import { phases } from '../../src/pipeline/summary.ts'

const folder = new URL('../../src/pipeline/phases/', import.meta.url)
const sources = new Map(
  readdirSync(folder)
    .filter((file) => !file.includes('.test'))
    .map((file) => [file.replace('.ts', ''), readFileSync(new URL(file, folder), 'utf8')]),
)
const files = new Map([
  ['structure', 'validation'],
  ['types', 'validation'],
  ['constraints', 'validation'],
])

/** Reasons that other code hands to the phase: the requirements of a principal, and what an executor's attempt came to. */
const handedIn: Readonly<Record<string, readonly string[]>> = {
  permission: [readFileSync(new URL('../../src/policy/requirements.ts', import.meta.url), 'utf8')],
  execute: [readFileSync(new URL('../../src/execute/attempt.ts', import.meta.url), 'utf8')],
  admit: [sources.get('recall') ?? ''],
}

describe('the table of phases', () => {
  it.each(phases.map((phase) => [phase.name, phase] as const))(
    'declares exactly what %s can stop with [every-reason-is-declared]',
    (name, phase) => {
      const source = [sources.get(files.get(name) ?? name) ?? '', ...(handedIn[name] ?? [])].join('\n')
      const body = source.replaceAll(/stopsWith: \[[\s\S]*?\n {2}\],|stopsWith: \[.*\],/g, '')
      for (const { class: taxonomyClass, reasons } of phase.stops_with) {
        expect(Object.keys(taxonomy)).toContain(taxonomyClass)
        expect(body).toContain(`'${taxonomyClass}'`)
        for (const reason of reasons) expect(body).toContain(`'${reason}'`)
      }
      const declared = phase.stops_with.flatMap((row) => row.reasons)
      for (const [, reason] of (sources.get(name) ?? '').matchAll(/stop\(\s*'[A-Z_]+',\s*'([a-z_]+)'/g))
        expect(declared).toContain(reason)
    },
  )

  it('has every gate that an effect class requires', () => {
    const names = new Set(phases.map((phase) => phase.name))
    for (const row of Object.values(effects)) for (const gate of row.gates) expect(names).toContain(gate)
  })
})
