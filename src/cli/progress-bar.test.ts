import pico from 'picocolors'
import { expect, it } from 'vitest'
import { barText, progressBar } from './progress-bar.ts'
import type { Terminal } from './terminal.ts'

const silent: Terminal = {
  colours: pico.createColors(false),
  folder: '/nowhere',
  debug: false,
  ledger: undefined,
  interruption: () => AbortSignal.abort(),
  out: () => {},
  note: () => {},
  input: async () => '',
}

it('grows from empty to full', () => {
  expect(barText(0, 4, 'a')).toBe(`${'░'.repeat(28)} 0/4  a`)
  expect(barText(2, 4, 'a')).toBe(`${'█'.repeat(14)}${'░'.repeat(14)} 2/4  a`)
  expect(barText(4, 4, 'a')).toBe(`${'█'.repeat(28)} 4/4  a`)
})

it('draws on a terminal and removes itself, and is silent elsewhere', () => {
  const drawn: string[] = []
  const bar = progressBar(2, { ...silent, progress: (line) => drawn.push(line) })
  bar.step('a')
  bar.end()
  expect(drawn).toEqual([barText(1, 2, 'a'), ''])
  expect(() => progressBar(2, silent).step('a')).not.toThrow()
})
