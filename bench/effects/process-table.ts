// How a program may come to its end: with every code, by every signal, over its limits, late, or with output of another kind than declared.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessOptions } from '../../src/index.ts'
import { runProcess } from '../../src/public/executors.ts'
import { makePrograms } from '../../test/execute/programs.ts'
import type { Deed, EffectCase, EffectRow, EffectTable } from './effect-table.ts'

export const processTable: EffectTable = {
  executor: 'process',
  async open() {
    const programs = makePrograms()
    const folder = mkdtempSync(join(tmpdir(), 'proviso-effects-'))
    // Programs are run as another user.
    chmodSync(folder, 0o777)
    const book = join(folder, 'book')
    const will = join(folder, 'will')
    // It does what the file says, and then ends as its argument says.
    const program = programs.program('act', `[ "$(cat ${will})" = done ] && echo deed >> ${book}\neval "$1"`)
    const caseOf = (
      end: string,
      options: Partial<ProcessOptions> = {},
      timeoutMs: 300 | 5_000 = 5_000,
    ): EffectCase => ({
      name: `${end}${Object.keys(options).length === 0 ? '' : `, ${JSON.stringify(options)}`}`,
      executor: runProcess({
        program,
        arguments: ['{end}'],
        isolation: 'none',
        network: false,
        output: 'json',
        success: [0],
        unchanged: [3],
        limits: { graceMs: 100, cpuSeconds: 1, fileBytes: 100_000, stdoutBytes: 10_000, stderrBytes: 10_000 },
        ...options,
      }),
      args: { end },
      timeoutMs,
      arrange(deed: Deed) {
        writeFileSync(book, '')
        chmodSync(book, 0o666)
        writeFileSync(will, deed)
        chmodSync(will, 0o644)
      },
    })
    return {
      ports: [],
      rows: rowsOf(caseOf),
      seen: () => (existsSync(book) ? readFileSync(book, 'utf8').split('deed').length - 1 : 0),
      close() {
        programs.remove()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
}

const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => from + at * step)

function rowsOf(
  caseOf: (end: string, options?: Partial<ProcessOptions>, timeoutMs?: 300) => EffectCase,
): readonly EffectRow[] {
  const outputs = [
    '{}',
    'no json',
    '',
    '{"a":1}{"b":2}',
    '\\377\\376',
    '[1,]',
    '"\\\\ud800"',
    '{"__proto__":1}',
    '{"status":404}',
  ]
  return [
    {
      came: 'a code of success, with any output',
      effect: 'happened',
      because: 'success of the binding',
      cases: () => [
        ...outputs.map((text) => caseOf(`printf '${text}'`)),
        caseOf('printf x; exec 1>&-; exec 2>&-'),
        caseOf('sleep 0 & printf 1'),
        caseOf('exit 7', { success: [0, 7] }),
        caseOf('echo x >&2; printf 1'),
      ],
    },
    {
      came: 'a code that says that nothing was done',
      effect: 'none',
      because: 'unchanged of the binding',
      cases: () => [caseOf('exit 3'), caseOf('printf 1; exit 3'), caseOf('echo x >&2; exit 3')],
    },
    {
      came: 'any other code',
      effect: 'unknown',
      cases: () =>
        [...range(1, 256, 17), 2, 126, 127, 128, 255]
          .filter((code) => code !== 3)
          .map((code) => caseOf(`exit ${code}`)),
    },
    {
      came: 'an end by a signal',
      effect: 'unknown',
      cases: () =>
        ['TERM', 'KILL', 'SEGV', 'ABRT', 'INT', 'HUP', 'PIPE', 'USR1'].map((signal) =>
          caseOf(`kill -${signal} $$; sleep 9`),
        ),
    },
    {
      came: 'an end at a limit, or at the end of its time',
      effect: 'unknown',
      cases: () => [
        caseOf('while :; do echo 0123456789012345678901234567890123456789; done'),
        caseOf('while :; do echo 0123456789012345678901234567890123456789 >&2; done'),
        caseOf('while :; do :; done'),
        caseOf('sleep 9', {}, 300),
        caseOf("trap '' TERM; sleep 9 & wait; sleep 9", {}, 300),
      ],
    },
    {
      came: 'a start that failed',
      effect: 'none',
      because: 'the operating system: there was no process',
      cases: () => [
        caseOf('never', { program: '/usr/bin/there-is-no-such-program' }),
        caseOf('never', { isolation: 'bubblewrap', bubblewrap: '/usr/bin/there-is-no-such-program' }),
      ],
    },
  ]
}
