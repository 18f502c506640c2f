// What follows every fault: recovery has its time, then the operation is asked for again under the same and under another id, and the
// judge looks. What is held is resolved by a person who knows the truth, after which it must be there once.
import type { Proviso } from '../../src/index.ts'
import type { Host, Told } from './host.ts'
import { judge, readSlots } from './judge.ts'
import { resolve } from './people.ts'
import { heard, perform, settled } from './perform.ts'
import type { Site } from './site.ts'
import type { Judgement } from './tally.ts'
import { isNamedByCall, type Order, type ToolSpec } from './tool-spec.ts'

export interface Finish {
  readonly site: Site
  readonly spec: ToolSpec
  readonly order: Order
  readonly callId: string
  /** Who asks again, and what was told so far. */
  readonly host: Host
  readonly told: readonly Told[]
  readonly windowOpen?: boolean
  /** How long anything may stay under way before it counts as stuck. */
  readonly settleMs?: number
}

export async function finish(input: Finish): Promise<Judgement> {
  const { site, spec, order, host, settleMs = 15_000 } = input
  const op = order.id
  await settled(site, op, settleMs)
  const told = [...input.told]
  const falseAnswers: string[] = []
  const ask = async (callId: string) => {
    const answers = heard(await perform(host, { tool: spec.name, order, callId }, host.proviso))
    told.push(...answers)
    const last = answers.at(-1)
    if (last?.effect === 'none' && (await site.fired(op)) > 0) falseAnswers.push(`${op} was told none (${last.reason})`)
    await settled(site, op, settleMs)
  }
  const ids = [input.callId, input.callId, ...(isNamedByCall(spec) ? [] : [`${input.callId}-other`])]
  for (const callId of ids) await ask(callId)
  const windowOpen = input.windowOpen ?? true
  const evidence = { op, spec, host, windowOpen }
  const first = await judge(site, { ...evidence, told, falseAnswers })
  if (!first.held) return first
  await resolveHeld(site, op, host.proviso)
  for (const callId of ids) await ask(callId)
  const second = await judge(site, { ...evidence, told, falseAnswers })
  const stillHeld = second.held ? [`${op} is held again after it was resolved`] : []
  return { ...second, held: true, heldNeedlessly: first.heldNeedlessly, stuck: [...second.stuck, ...stillHeld] }
}

async function resolveHeld(site: Site, op: string, proviso: Proviso): Promise<void> {
  const effect = (await site.fired(op)) > 0 ? 'happened' : 'none'
  for (const slot of await readSlots(site, op)) {
    if (slot.held) await resolve(proviso, slot.call_id, effect, 'acme')
  }
}
