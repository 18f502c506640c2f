// Every step that can come next: of a pass, of an executor and the world it reaches into, of a process that recovers, of people, of time,
// and of what may go wrong. Each gives a name for what was done and what it came to, and the state after it.

import { lateSteps } from './attempt-steps.ts'
import type { Deed, Step, Turn } from './deed.ts'
import { passSteps } from './pass-steps.ts'
import { consentSteps, peopleSteps, sagaSteps } from './people-steps.ts'
import { processMishaps, sessionSteps, wake } from './process-steps.ts'
import { recoverySteps } from './recovery-steps.ts'
import type { Setting } from './setting.ts'
import type { State } from './state.ts'
import { timeSteps, worldSteps } from './world-steps.ts'

/** Of the processes only those that `hasPart` names. */
export function stepsFrom(state: State, setting: Setting, hasPart: (who: number) => boolean = () => true): Step[] {
  const steps: Step[] = []
  const add = (deed: Deed, next: State) => void steps.push({ deed, next })
  for (let who = 0; who < state.processes.length; who++) {
    const process = state.processes[who]
    if (process === undefined || !hasPart(who)) continue
    const turn: Turn = { state, who, setting, add }
    if (process.life !== 'up') {
      wake(turn)
      continue
    }
    // One thing at a time, unless both are wanted: what a process does beside is as well done by another.
    if (setting.both === true || process.recovery === undefined) passSteps(turn)
    if (setting.both === true || process.pass === undefined) recoverySteps(turn)
    lateSteps(turn)
    sessionSteps(turn)
    processMishaps(turn)
  }
  worldSteps(state, setting, add)
  peopleSteps(state, setting, add)
  sagaSteps(state, setting, add)
  consentSteps(state, setting, add)
  timeSteps(state, setting, add)
  return steps
}
