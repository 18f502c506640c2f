import { expect, it } from 'vitest'
import { withoutEdges, withoutEnd, withoutLastWord } from './text-end.ts'

it('takes characters from the end, or from both ends, and nothing from within', () => {
  expect(withoutEnd('a/b//', '/')).toBe('a/b')
  expect(withoutEnd('name. .', '. ')).toBe('name')
  expect(withoutEnd('///', '/')).toBe('')
  expect(withoutEnd('', '/')).toBe('')
  expect(withoutEdges('__a_b__', '_')).toBe('a_b')
  expect(withoutEdges('____', '_')).toBe('')
})

it('leaves a text without its last word as it stands before it', () => {
  expect(withoutLastWord('one two')).toBe('one ')
  expect(withoutLastWord('one\n')).toBe('one\n')
  expect(withoutLastWord('one')).toBe('')
})

it('takes the same time for each character, however many there are', () => {
  const long = `${'_'.repeat(200_000)}x`
  const began = process.cpuUsage()
  for (let times = 0; times < 20; times++) withoutEnd(long, '_')
  expect(process.cpuUsage(began).user).toBeLessThan(1_000_000)
})
