// Programs as tools: arguments, environment, input, output and endings, inside bubblewrap where it works and beside us.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ToolError } from '../../src/contract/fault.ts'
import { defineTool, type JsonObject, loadContracts, openProviso, type ProcessOptions } from '../../src/index.ts'
import { runProcess } from '../../src/public/executors.ts'
import { executionContext } from './execution-context.ts'
import { hasSandbox, makePrograms } from './programs.ts'

const programs = makePrograms()
afterAll(() => programs.remove())

const sandbox = hasSandbox()
const ways = [
  { isolation: 'none', title: 'beside us' },
  ...(sandbox ? [{ isolation: 'bubblewrap', title: 'inside bubblewrap' } as const] : []),
] as const

const context = executionContext

async function failure(options: ProcessOptions, args: JsonObject = {}, changes = {}): Promise<ToolError> {
  try {
    await runProcess(options).run(args, context(changes))
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('The program did not fail.')
}

describe.skipIf(process.platform !== 'linux').each(ways)('a program $title', ({ isolation }) => {
  const echo = programs.program('echo', 'printf "<%s>\\n" "$@"')

  it('is given one argument for each item, for every value [argv-never-split] [TC-004]', async () => {
    const executor = runProcess({
      program: echo,
      arguments: ['--name={name}', '--', '{text}'],
      output: 'lines',
      isolation,
    })
    const text = 'a b; $(id) `id` | cat > /tmp/x && "\'*?\\'
    expect(await executor.run({ name: '-x y', text }, context())).toEqual({
      lines: ['<--name=-x y>', '<-->', `<${text}>`],
    })
  })

  it('reads its input and writes JSON', async () => {
    const options = { program: '/usr/bin/cat', stdin: '', output: 'json', isolation } as const
    expect(await runProcess(options).run({ a: [1, 'é'] }, context())).toEqual({ a: [1, 'é'] })
    const text = runProcess({ program: '/usr/bin/cat', stdin: '/text', isolation })
    expect(await text.run({ text: 'plain' }, context())).toEqual({ text: 'plain' })
    expect(await failure({ program: echo, arguments: ['{'.repeat(2)], output: 'json', isolation })).toMatchObject({
      code: 'bad_output',
      effect: 'happened',
    })
  })

  it('has an environment of its own and nothing of ours [clean-environment] [TC-284]', async () => {
    const program = programs.program('environment', 'env | cut -d= -f1 | sort')
    const options = { program, environment: { LANG: 'C' }, output: 'lines', isolation } as const
    // bash itself adds the last three.
    const own = ['HOME', 'LANG', 'PATH', 'PROVISO_CALL', 'TMPDIR', 'PWD', 'SHLVL', '_']
    expect(await runProcess(options).run({}, context())).toEqual({ lines: own.sort() })
  })

  it('is handed credentials where the binding says, and they are gone afterwards', async () => {
    const program = programs.program(
      'secret',
      'echo "$KEY"; cat "$KEY_FILE"; echo; stat -c %a "$KEY_FILE"; echo "$KEY_FILE"; cat',
    )
    const executor = runProcess({
      program,
      credentials: { api: { env: 'KEY' }, disk: { file: 'KEY_FILE' }, pin: { stdin: true } },
      output: 'lines',
      isolation,
    })
    const credentials = new Map([
      ['api', 'key-of-the-api'],
      ['disk', 'key-of-the-disk'],
      ['pin', 'pin-of-the-card'],
    ])
    const { lines } = (await executor.run({}, context({ credentials }))) as { lines: string[] }
    expect([...lines.slice(0, 3), lines[4]]).toEqual(['key-of-the-api', 'key-of-the-disk', '600', 'pin-of-the-card'])
    const { access } = await import('node:fs/promises')
    await expect(access(lines[3] ?? '')).rejects.toThrow('ENOENT')
    await expect(executor.run({}, context())).rejects.toMatchObject({ code: 'credential_missing', effect: 'none' })
  })

  it('ends with a code, and says so with its own; some codes mean that nothing was changed [TC-103]', async () => {
    const program = programs.program('exit', 'echo "it broke" >&2; exit "$1"')
    const options = { program, arguments: ['{code}'], success: [0, 3], unchanged: [4], isolation }
    expect(await runProcess(options).run({ code: 3 }, context())).toEqual({ text: '' })
    const two = await failure(options, { code: 2 })
    expect([two.code, two.effect]).toEqual(['exit_2', 'unknown'])
    expect(two.message).toContain('it broke')
    expect((await failure(options, { code: 4 })).effect).toBe('none')
  })

  it('is quoted without the word that a quotation would cut: it may be a secret', async () => {
    const program = programs.program('long', 'printf "%s %0490d" "key-of-the-api" 0 >&2; exit 1')
    const { message } = await failure({ program, isolation })
    expect([message.includes('the-api'), message.endsWith('000')]).toEqual([false, true])
  })

  it('that cannot be started has done nothing', async () => {
    const missing = await failure({ program: join(programs.folder, 'none'), isolation })
    expect([missing.code, missing.effect, missing.class]).toEqual(['setup_required', 'none', 'DEPENDENCY_UNAVAILABLE'])
    const text = join(programs.folder, 'text')
    writeFileSync(text, 'no program', { mode: 0o644 })
    expect((await failure({ program: text, isolation })).effect).toBe('none')
  })

  it('that another process has killed may have done anything', async () => {
    const program = programs.program('sleeps', 'exec sleep 30')
    const failing = failure({ program, isolation }, {}, { callId: '01890000-0000-7000-8000-00000000dead' })
    const own = () =>
      readdirSync('/proc').filter((pid) => {
        try {
          return /^[0-9]+$/.test(pid) && startedByUs(pid)
        } catch {
          return false
        }
      })
    const startedByUs = (pid: string) =>
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(process.pid) &&
      readFileSync(`/proc/${pid}/environ`, 'latin1').includes('00000000dead')
    await expect.poll(() => own().length, { timeout: 30_000 }).toBe(1)
    for (const pid of own()) process.kill(Number(pid), 'SIGKILL')
    expect((await failing).effect).toBe('unknown')
  })

  it('is told to end when time is up, and killed when it does not listen [TC-103]', async () => {
    const listens = programs.program(
      'listens',
      'trap "echo bye; exit 0" TERM; echo ready; while :; do sleep 0.05; done',
    )
    const deaf = programs.program('deaf', 'trap "" TERM; echo ready; while :; do sleep 0.05; done')
    const signal = () => AbortSignal.timeout(700)
    expect(await runProcess({ program: listens, isolation }).run({}, context({ signal: signal() }))).toEqual({
      text: 'ready\nbye\n',
    })
    const limits = { graceMs: 200 }
    const killed = await failure({ program: deaf, isolation, limits }, {}, { signal: signal() })
    expect([killed.code, killed.effect]).toEqual(['ended', 'unknown'])
  })

  it('starts in a folder of its root that the arguments name, and in no other', async () => {
    const root = mkdtempSync(join(tmpdir(), 'proviso-root-'))
    mkdirSync(join(root, 'a/b'), { recursive: true })
    symlinkSync('/etc', join(root, 'out'))
    const { chmodSync } = await import('node:fs')
    chmodSync(root, 0o755)
    const options = { program: '/usr/bin/pwd', arguments: ['-P'], root, folder: 'a/{name}', isolation } as const
    expect(await runProcess(options).run({ name: 'b' }, context())).toEqual({ text: `${root}/a/b\n` })
    for (const name of ['..', '../..', '/etc', '']) expect((await failure(options, { name })).effect).toBe('none')
    const out = await failure({ ...options, folder: '{name}' }, { name: 'out' })
    expect([out.code, out.effect]).toEqual(['symbolic_link', 'none'])
    rmSync(root, { recursive: true })
  })
})

describe('the options of a process', () => {
  it.each([
    ['a relative program', { program: 'git' }],
    ['a shell', { program: '/bin/bash' }],
    ['a template that a value could turn around', { program: '/usr/bin/git', arguments: ['-c{x}'] }],
    ['a variable that is ours', { program: '/usr/bin/git', environment: { PATH: '/tmp' } }],
    ['a variable twice', { program: '/usr/bin/git', environment: { A: '' }, credentials: { a: { env: 'A' } } }],
    ['a user, which openProviso names', { program: '/usr/bin/git', ...({ user: { uid: 0, gid: 0 } } as object) }],
    ['a folder without a root', { program: '/usr/bin/git', folder: 'a' }],
    ['two things for standard input', { program: '/usr/bin/git', stdin: '/a', credentials: { a: { stdin: true } } }],
    ['a limit that is none', { program: '/usr/bin/git', limits: { processes: 0 } }],
  ] as const)('are refused for %s', (_name, options) => {
    expect(() => runProcess(options)).toThrow('process:')
  })

  it('are refused by name for a program that others could have changed', async () => {
    const writable = programs.program('writable', 'true')
    const { chmodSync } = await import('node:fs')
    chmodSync(writable, 0o777)
    const link = join(programs.folder, 'shell-in-disguise')
    symlinkSync('/bin/bash', link)
    const look = (program: string) => runProcess({ program, isolation: 'none' }).preflight?.({}, context())
    expect(await look(writable)).toMatchObject({ reason: 'setup_required', message: expect.stringContaining('others') })
    expect(await look(link)).toMatchObject({ reason: 'setup_required', message: expect.stringContaining('shell') })
  })
})

describe('a process tool', () => {
  const input = {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  } as const
  const base = { name: 'count_words_v1', description: 'Counts words.', effect: 'READ_ONLY', input } as const
  const options = { program: '/usr/bin/wc', arguments: ['-w'], stdin: '/text' }
  const programs = { users: { default: 200_001 } }

  it('is refused at registration where isolation is demanded and there is none, and at the call where it was hoped for [no-silent-downgrade] [EP-15]', async () => {
    const executor = runProcess({ ...options, bubblewrap: '/nonexistent/bwrap' })
    const refused = openProviso({ tools: [defineTool({ ...base, isolated: true, executor })] })
    await expect(refused).rejects.toThrow('not-isolated')
    const proviso = await openProviso({ tools: [defineTool({ ...base, executor })] })
    const answer = await proviso.call({ tool: 'count_words_v1', arguments: '{"text":"a b"}' }, { run: 'r' })
    expect([answer.observation.status.taxonomy_class, answer.effect]).toEqual(['DEPENDENCY_UNAVAILABLE', 'none'])
    await expect(executor.run({ text: 'a' }, context())).rejects.toMatchObject({
      code: 'setup_required',
      effect: 'none',
    })
    await proviso.close()
  })

  it('that may connect is refused under every policy that would have to be watched [unwatched-programs-refused]', async () => {
    const policies = ['none', 'private_network_only', 'allowlisted_domains', 'unrestricted_with_approval'] as const
    const accepted = async (more: Partial<ProcessOptions>) => {
      const tried = policies.map(async (egress) => {
        const executor = runProcess({ ...options, ...more })
        const tools = [defineTool({ ...base, egress, egressDomains: ['api.example.com'], executor })]
        const opened = await openProviso({ tools, programs }).catch((fault: Error) => fault)
        if (opened instanceof Error) expect(opened.message).toContain('connections-not-watched')
        else await opened.close()
        return opened instanceof Error ? [] : [egress]
      })
      return (await Promise.all(tried)).flat()
    }
    expect(await accepted({ network: true })).toEqual(['unrestricted_with_approval'])
    expect(await accepted({ isolation: 'none' })).toEqual(['unrestricted_with_approval'])
    // Held by the sandbox, and by the word of the author of the binding.
    expect(await accepted({})).toEqual(policies)
    expect(await accepted({ isolation: 'none', network: false })).toEqual(policies)
  })

  it.skipIf(!sandbox)('runs where isolation is demanded and there is some', async () => {
    const proviso = await openProviso({
      tools: [defineTool({ ...base, isolated: true, executor: runProcess(options) })],
    })
    const answer = await proviso.call({ tool: 'count_words_v1', arguments: '{"text":"a b c"}' }, { run: 'r' })
    expect([answer.observation.status.taxonomy_class, answer.value]).toEqual(['SUCCESS', { text: '3\n' }])
    await proviso.close()
  })

  it('is declared in a tool file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'proviso-tool-'))
    const { contract } = defineTool({ ...base, executor: runProcess(options) })
    const executor = { kind: 'process', ...options, isolation: 'none', network: false, limits: { stdout_bytes: 100 } }
    writeFileSync(join(folder, 'count.tool.json'), JSON.stringify({ contract, binding: { executor } }))
    const tools = await loadContracts(folder)
    const proviso = await openProviso({ tools, programs })
    const answer = await proviso.call({ tool: 'count_words_v1', arguments: '{"text":"a b c"}' }, { run: 'r' })
    expect([answer.observation.status.taxonomy_class, answer.value]).toEqual(['SUCCESS', { text: '3\n' }])
    await proviso.close()
    rmSync(folder, { recursive: true })
  })
})
