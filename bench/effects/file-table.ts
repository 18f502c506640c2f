// What a file system may answer: each call that a change is made of fails, with every error, having done its work or not.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileOptions, JsonObject } from '../../src/index.ts'
import { file } from '../../src/public/executors.ts'
import { executionContext } from '../../test/execute/execution-context.ts'
import type { EffectCase, EffectRow, EffectTable } from './effect-table.ts'
import { type SpoiltFiles, spoiltFiles } from './file-double.ts'

interface Change {
  readonly name: string
  readonly options: Omit<FileOptions, 'root'>
  readonly args: JsonObject
  /** The name of the call that changes what is there. */
  readonly step: 'link' | 'rename'
  /** Which of the calls of this name. */
  readonly nth: number
  /** How often its deed is to be seen. */
  seen(at: (name: string) => string): number
}

const textAt = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
const times = (text: string, word: string) => text.split(word).length - 1

const changes: readonly Change[] = [
  {
    name: 'create',
    options: { operation: 'write' },
    args: { path: 'new.txt', content: 'deed' },
    step: 'link',
    nth: 0,
    seen: (at) => times(textAt(at('new.txt')), 'deed'),
  },
  {
    name: 'put',
    options: { operation: 'write', mode: 'put' },
    args: { path: 'a.txt', content: 'deed' },
    step: 'rename',
    // The first one gives the note its name.
    nth: 1,
    seen: (at) => times(textAt(at('a.txt')), 'deed'),
  },
  {
    name: 'append',
    options: { operation: 'append' },
    args: { path: 'a.txt', content: 'deed' },
    step: 'rename',
    nth: 1,
    seen: (at) => times(textAt(at('a.txt')), 'deed'),
  },
  {
    name: 'delete',
    options: { operation: 'delete' },
    args: { path: 'a.txt' },
    step: 'rename',
    nth: 1,
    seen: (at) => (existsSync(at('a.txt')) ? 0 : 1),
  },
  {
    name: 'move',
    options: { operation: 'move' },
    args: { path: 'a.txt', to: 'b.txt' },
    step: 'link',
    nth: 0,
    seen: (at) => (existsSync(at('b.txt')) ? 1 : 0),
  },
  {
    name: 'restore',
    options: { operation: 'restore' },
    args: {},
    step: 'link',
    nth: 0,
    seen: (at) => (existsSync(at('gone.txt')) ? 1 : 0),
  },
]

const errors = [
  'EIO',
  'EEXIST',
  'ENOENT',
  'ENOSPC',
  'EACCES',
  'ESTALE',
  'EINTR',
  'EBADF',
  'EROFS',
  'ENOTDIR',
  'ESOMETHING',
]

export const fileTable: EffectTable = {
  executor: 'file',
  async open() {
    const folder = mkdtempSync(join(tmpdir(), 'proviso-effects-'))
    let root = ''
    let current: Change | undefined
    let count = 0
    const at = (name: string) => join(root, name)

    /** A root of its own for each case; what was deleted there before is asked for by its number. */
    const prepare = async (change: Change): Promise<JsonObject> => {
      root = join(folder, String(count++))
      // There already: a second start makes the same calls as the first.
      mkdirSync(at('.trash'), { recursive: true, mode: 0o700 })
      writeFileSync(at('a.txt'), 'old\n')
      if (change.name !== 'restore') return change.args
      writeFileSync(at('gone.txt'), 'old\n')
      const removed = await file({ root, operation: 'delete' }).run({ path: 'gone.txt' }, executionContext())
      return { trash_id: (removed as { readonly trash_id: string }).trash_id }
    }
    const files = await spoiltFiles()
    /** The calls that each change is made of, and which of them is the step. */
    const known = new Map<Change, { readonly calls: readonly string[]; readonly step: number }>()
    for (const change of changes) {
      const args = await prepare(change)
      files.arrange(undefined)
      await file({ root, ...change.options }).run(args, executionContext())
      const calls = [...files.calls]
      const steps = calls.flatMap((name, index) => (name === change.step ? [index] : []))
      known.set(change, { calls, step: steps[change.nth] ?? -1 })
    }
    const stage = { files, known, prepare, start: (change: Change) => (current = change), rootOf: () => root }
    return {
      ports: [],
      rows: rowsOf(stage),
      seen() {
        files.arrange(undefined)
        return current?.seen(at) ?? 0
      },
      close() {
        files.close()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
}

interface Shop {
  readonly files: SpoiltFiles
  readonly known: ReadonlyMap<Change, { readonly calls: readonly string[]; readonly step: number }>
  readonly prepare: (change: Change) => Promise<JsonObject>
  readonly start: (change: Change) => void
  readonly rootOf: () => string
}

interface Place {
  readonly change: Change
  readonly at: number
  readonly call: string
  readonly step: number
}

function rowsOf(shop: Shop): readonly EffectRow[] {
  const places = changes.flatMap((change): readonly Place[] => {
    const { calls = [], step = -1 } = shop.known.get(change) ?? {}
    return calls.map((call, at) => ({ change, at, call, step }))
  })
  const spoilt = ({ change, at, call }: Place, code: string, does: boolean, lasting = false): EffectCase => {
    let args: JsonObject = {}
    let executor = file({ root: '/', ...change.options })
    return {
      name: `${change.name}: ${code} ${does ? 'after' : 'in place of'} ${call}, call ${at}${lasting ? ' and all that follow' : ''}`,
      executor: {
        kind: 'fn',
        isolated: false,
        run(_args, context) {
          // Each start meets the same.
          shop.files.arrange({ at, code, does, lasting })
          return executor.run(args, context)
        },
      },
      async arrange() {
        shop.files.arrange(undefined)
        args = await shop.prepare(change)
        executor = file({ root: shop.rootOf(), ...change.options })
        shop.start(change)
      },
    }
  }
  const each = (fits: (place: Place) => boolean, does: readonly boolean[], codes = errors, lasting = false) =>
    places
      .filter(fits)
      .flatMap((place) => codes.flatMap((code) => does.map((done) => spoilt(place, code, done, lasting))))
  return [
    {
      came: 'an error before the step that changes something',
      effect: 'none',
      because: 'the step was not begun',
      cases: () => each((place) => place.at < place.step && !tellsSomething(place), [true, false], ['EIO', 'ENOSPC']),
    },
    {
      came: 'an error before the step that may also say that something is there or not',
      effect: 'any',
      deeds: ['left'],
      cases: () => each((place) => place.at < place.step && tellsSomething(place), [true, false], ['ENOENT', 'EACCES']),
    },
    {
      came: 'an error of the step, which has done nothing',
      effect: 'none',
      because: 'the place itself, looked at again',
      cases: () => each(({ at, step }) => at === step, [false]),
    },
    {
      came: 'an error of the step, which has done its work all the same',
      effect: 'happened',
      because: 'the place itself, looked at again',
      cases: () => each(({ at, step }) => at === step, [true]),
    },
    {
      came: 'an error of the step, and of all that is asked after it',
      effect: 'any',
      deeds: ['left'],
      cases: () => each(({ at, step }) => at === step, [true, false], errors, true),
    },
    {
      came: 'an error after the step',
      effect: 'any',
      deeds: ['left'],
      cases: () => [
        ...each(({ at, step }) => at > step, [true, false], ['EIO', 'ENOENT']),
        ...each(({ at, step }) => at > step, [true], ['EIO'], true),
      ],
    },
  ]
}

/** Calls whose errors have a meaning of their own. */
const tellsSomething = ({ call }: Place) => ['lstat', 'mkdir', 'open', 'rm'].includes(call)
