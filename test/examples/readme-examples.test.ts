// The examples that the README opens with: what each counts, and that each runs by itself.
import { execFileSync } from 'node:child_process'
import { beforeAll, describe, expect, it, vi } from 'vitest'

beforeAll(() => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
})

const print = (path: string): string[] =>
  execFileSync(process.execPath, [path], { encoding: 'utf8' }).trimEnd().split('\n')

describe('the double charge', () => {
  it('books three payments without Proviso', async () => {
    const { payments } = await import('../../examples/double-charge/plain.ts')
    expect(payments).toHaveLength(3)
  })

  it('books one payment with it, and the model gets its result every time [same-arguments-once-per-run]', async () => {
    const { payments, outputs } = await import('../../examples/double-charge/protected.ts')
    expect(payments).toHaveLength(1)
    expect(outputs).toEqual([{ booked: 120 }, { booked: 120 }, { booked: 120 }])
  })

  it('prints what it counted', () => {
    expect(print('examples/double-charge/plain.ts')[0]).toMatch(/^booked 3 times:/)
    expect(print('examples/double-charge/protected.ts')[0]).toMatch(/^booked 1 time:/)
  })
})

describe('the edited approval', () => {
  it('sends what nobody approved without Proviso', async () => {
    const { sent } = await import('../../examples/edited-approval/plain.ts')
    expect(sent).toEqual(['Your contract to mallory@example.org'])
  })

  it('sends nothing with it until the edited call has its own approval, and the approved one once [approval-binds-payload]', async () => {
    const { sent, sentAfterEdit } = await import('../../examples/edited-approval/protected.ts')
    expect(sentAfterEdit).toBe(0)
    expect(sent).toEqual(['Your contract to ann@example.com'])
  })

  it('prints what was approved, what waits and what was sent', () => {
    expect(print('examples/edited-approval/plain.ts').at(-1)).toBe('sent: Your contract to mallory@example.org')
    expect(print('examples/edited-approval/protected.ts')).toEqual([
      'approved: Send "Your contract" to ann@example.com.',
      'waiting:  Send "Your contract" to mallory@example.org.',
      'sent:     nothing',
      'unedited: Your contract to ann@example.com',
    ])
  })
})
