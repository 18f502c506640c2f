// A process killed between two steps of a saga: a part of what `npm run measure:sagas` does.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type KillTrial, openKillTrial } from '../../bench/sagas/run-kills.ts'

let trial: KillTrial
beforeAll(async () => {
  trial = await openKillTrial()
})
afterAll(() => trial.end())

it.each([
  ['holds another saga', false, 'inner-x after'],
  ['turns back in doubt', false, 'undo-b after'],
  ['asks on the way back', true, 'write ended+turned+rendered after'],
  ['succeeds', true, 'pivot after'],
] as const)(
  '%s, by a changed definition: %s, dies at: %s [sagas-killed-anywhere]',
  async (course, changed, point) => {
    const at = (await trial.points(course)).indexOf(point) + 1
    expect(at).toBeGreaterThan(0)
    const outcome = await trial.run({ course, changed, at })
    expect(outcome.problems).toEqual([])
    // After a deploy that no process undoes, people were asked before it went on.
    if (changed) expect(outcome.asked).toBeGreaterThan(0)
  },
  120_000,
)
