import { describe, expect, it } from 'vitest'
import { manualClock } from '../json/clock.ts'
import { Fault } from './fault.ts'
import {
  byName,
  callback,
  checkOptions,
  having,
  listOf,
  milliseconds,
  nonEmptyText,
  oneOf,
  optionsIn,
  several,
  trueOrFalse,
  wholeNumber,
} from './options.ts'

const rows = {
  leaseMs: milliseconds(50),
  connections: wholeNumber(1, 10_000),
  make: trueOrFalse,
  clock: having('a clock', 'now', 'monotonic'),
  onFault: callback,
  names: several,
  expired: oneOf('reject', 'rebuild'),
  keyFile: nonEmptyText('Give the path of a file.'),
  log: optionsIn({ sequence: trueOrFalse }),
  driver: optionsIn({}, { isOpen: true }),
  limits: listOf({ max: wholeNumber(0, 9) }),
  versions: byName({ current: nonEmptyText('Give a version.') }),
}

const problems = (given: unknown, needed: readonly string[] = []): readonly string[] => {
  try {
    checkOptions('opening', rows, given, needed)
  } catch (error) {
    if (error instanceof Fault && error.message.startsWith('opening: ')) return error.details
    throw error
  }
  return []
}

describe('options', () => {
  it('takes what can be meant', () => {
    expect(problems({})).toEqual([])
    expect(
      problems({
        leaseMs: 50,
        connections: undefined,
        make: false,
        clock: manualClock(),
        onFault: () => undefined,
        names: new Set(['a']),
        expired: 'reject',
        keyFile: 'x',
        log: { sequence: true },
        driver: { ssl: true },
        limits: [{ max: 9 }],
        versions: { pay: { current: '1.0.0' } },
      }),
    ).toEqual([])
  })

  it.each<[object, string]>([
    [{ leaseMS: 1_000 }, 'There is no option leaseMS. Did you mean leaseMs?'],
    [{ log: { sequenc: true } }, 'There is no option log.sequenc. Did you mean log.sequence?'],
    [{ log: { zzz: 1 } }, 'There is no option log.zzz. Known are log.sequence.'],
    [{ limits: [{ max: 1 }, { maxx: 1 }] }, 'There is no option limits[1].maxx. Did you mean limits[1].max?'],
    [
      { versions: { pay: { curent: 1 } } },
      'There is no option versions[pay].curent. Did you mean versions[pay].current?',
    ],
    [{ leaseMs: '30s' }, 'leaseMs is the text "30s". Give a whole number of milliseconds from 50 to 86,400,000.'],
    [{ leaseMs: Number.NaN }, 'leaseMs is NaN. Give a whole number of milliseconds from 50 to 86,400,000.'],
    [
      { leaseMs: Number.POSITIVE_INFINITY },
      'leaseMs is Infinity. Give a whole number of milliseconds from 50 to 86,400,000.',
    ],
    [{ leaseMs: -1 }, 'leaseMs is -1. Give a whole number of milliseconds from 50 to 86,400,000.'],
    [{ connections: 0 }, 'connections is 0. Give a whole number from 1 to 10,000.'],
    [{ connections: 2.5 }, 'connections is 2.5. Give a whole number from 1 to 10,000.'],
    [{ connections: null }, 'connections is null. Give a whole number from 1 to 10,000.'],
    [{ make: 'false' }, 'make is the text "false". Give true or false.'],
    [{ clock: {} }, 'clock is an object. Give a clock, with now() and monotonic().'],
    [{ onFault: 'console.log' }, 'onFault is a text. Give a function.'],
    [{ names: 'acme' }, 'names is a text. Give a list.'],
    [{ expired: 'drop' }, 'expired is a text. Give "reject" or "rebuild".'],
    [{ keyFile: '' }, 'keyFile is an empty text. Give the path of a file.'],
    [{ log: [] }, 'log is a list. Give an object.'],
    [{ limits: [3] }, 'limits[0] is 3. Give an object.'],
  ])('refuses %o with what to write instead', (given, problem) => {
    expect(problems(given)).toEqual([problem])
  })

  it('tells every problem at once, and what is missing', () => {
    expect(problems({ make: 1, lease: 2 }, ['keyFile'])).toEqual([
      'keyFile is not given. Give the path of a file.',
      'There is no option lease. Did you mean leaseMs?',
      'make is 1. Give true or false.',
    ])
  })

  it('refuses what are no options at all', () => {
    expect(problems('postgres://u:geheim@h/d')).toEqual(['The options are a text. Give an object.'])
    expect(problems(null)).toEqual(['The options are null. Give an object.'])
    expect(problems([])).toEqual(['The options are a list. Give an object.'])
  })

  it('repeats no text that may be a secret, and no long or odd name as it is', () => {
    const secret = 'postgres://app:geheim@db/app'
    for (const name of Object.keys(rows)) expect(problems({ [name]: secret }).join(' ')).not.toContain('geheim')
    expect(problems({ ['x\n'.repeat(99)]: 1 }).join(' ').length).toBeLessThan(300)
    expect(JSON.parse('{"__proto__": {"make": 5}}')).toBeDefined()
    expect(problems(JSON.parse('{"__proto__": {"make": 5}}'))).toHaveLength(1)
    expect(problems({ toString: 1 })).toHaveLength(1)
  })
})
