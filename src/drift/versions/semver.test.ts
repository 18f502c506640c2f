import { describe, expect, it, test } from 'vitest'
import { compareSemver, readSemver, type SemanticVersion } from './semver.ts'

const read = (text: string) => readSemver(text) as SemanticVersion

describe('a semantic version', () => {
  test.each(['1', '1.2', '01.2.3', '1.2.3-', '1.2.3-01', 'v1.2.3', '1.2.3 ', '1.2.3+', '', `1.2.${'9'.repeat(300)}`])(
    'is not %j',
    (text) => expect(readSemver(text)).toBeUndefined(),
  )

  it('comes in the order of the specification', () => {
    const order = [
      '0.9.0',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.2.0',
      '1.10.0',
      '9007199254740993.0.0',
    ]
    const shuffled = order.toReversed().toSorted((a, b) => compareSemver(read(a), read(b)))
    expect(shuffled).toEqual(order)
    expect(compareSemver(read('1.0.0+a'), read('1.0.0+b'))).toBe(0)
  })
})
