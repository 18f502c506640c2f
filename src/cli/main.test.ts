// The command line inside this process, on a terminal that only remembers. Exit codes, suggestions, one JSON value on stdout.
import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { taxonomy } from '../contract/taxonomy.ts'
import { commands } from './commands.ts'
import { main } from './main.ts'
import { nextSteps } from './outcome-words.ts'

const run = (...argv: readonly string[]) => runWith({ debug: false }, argv)

async function runWith({ debug }: { readonly debug: boolean }, argv: readonly string[]) {
  const out: string[] = []
  const notes: string[] = []
  const code = await main(argv, {
    colours: pico.createColors(false),
    folder: '/nowhere',
    debug,
    ledger: undefined,
    interruption: () => AbortSignal.abort(),
    out: (text) => out.push(text),
    note: (text) => notes.push(text),
    input: () => Promise.reject(new Error('the cable is cut')),
  })
  return { code, out: out.join('\n'), notes: notes.join('\n') }
}

describe('the command line', () => {
  it('prints help with every command and the exit codes, and ends with 0', async () => {
    for (const argv of [[], ['--help']]) {
      const { code, out } = await run(...argv)
      expect(code).toBe(0)
      for (const { name, summary } of commands) {
        expect(out).toContain(name)
        expect(out.replaceAll(/\s+/g, ' ')).toContain(summary)
      }
      expect(out).toContain('Exit codes:')
    }
  })

  it.each(commands.map(({ name }) => name))(
    'prints help of %s with examples and exit codes, and ends with 0',
    async (name) => {
      const { code, out } = await run(name, '--help')
      expect(code).toBe(0)
      expect(out).toContain('--json')
      expect(out).toMatch(/Examples:\n {2}\$ /)
      expect(out).toMatch(/Exit codes:\n {2}0 {2}.+\n {2}1 {2}.+\n {2}2 {2}/)
    },
  )

  it('suggests the nearest command and option, and ends with 2', async () => {
    expect(await run('gatse')).toMatchObject({
      code: 2,
      out: '',
      notes: expect.stringContaining('Did you mean gates?'),
    })
    const option = await run('gates', '--jsn')
    expect(option).toMatchObject({ code: 2, notes: expect.stringContaining('Did you mean --json?') })
  })

  it('ends with 2 on a missing argument or one too many', async () => {
    expect((await run('call')).code).toBe(2)
    expect((await run('explain', 'a', 'b')).code).toBe(2)
  })

  it('says what went wrong as JSON too, when JSON was asked for', async () => {
    const { code, out } = await run('call', 'x', '--tools', 'none', '--json')
    expect(code).toBe(2)
    expect(JSON.parse(out)).toEqual({ error: { message: expect.stringContaining('no such file'), details: [] } })
  })

  it('tells of a bug in one line, and where it is only when asked', async () => {
    const short = await run('call', 'x', '-')
    expect(short).toMatchObject({
      code: 2,
      notes: 'error Unexpected: the cable is cut\n  PROVISO_DEBUG=1 shows where.',
    })
    const long = await runWith({ debug: true }, ['call', 'x', '-'])
    expect(long.notes).toMatch(/^Error: the cable is cut\n\s+at /)
  })

  it('prints version and help as one JSON object, when JSON was asked for', async () => {
    for (const argv of [
      ['--version', '--json'],
      ['--json', '--version'],
    ]) {
      const { code, out } = await run(...argv)
      expect(code).toBe(0)
      expect(JSON.parse(out)).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) })
    }
    for (const argv of [
      ['--help', '--json'],
      ['gates', '--help', '--json'],
    ]) {
      const { code, out } = await run(...argv)
      expect(code).toBe(0)
      expect(JSON.parse(out)).toEqual({ usage: expect.stringContaining('Exit codes:') })
    }
  })

  it('prints the version', async () => {
    expect(await run('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+$/) })
  })
})

describe('the table of next steps', () => {
  it('has a sentence for every action of the taxonomy', () => {
    for (const { nextAction } of Object.values(taxonomy)) expect(nextSteps[nextAction]).toMatch(/\.$/)
  })
})
