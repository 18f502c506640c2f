// Reads the effect back. An observation is evidence, not truth: what cannot be verified is said, and escalated where the class demands it.
import type { Call } from '../../contract/call.ts'
import type { Verification } from '../../contract/tool.ts'
import { ownCopy } from '../../json/own-copy.ts'
import { toolOf, typedInput, verifierContext } from '../context.ts'
import { asks } from '../escalate.ts'
import { type Act, pass, stop, type Verdict } from '../phase.ts'
import { within } from '../within.ts'

export const verify: Act = {
  name: 'verify',
  does: 'Reads the effect back from the world where the contract demands it or a verifier is bound.',
  stopsWith: [
    { class: 'PARTIAL_SUCCESS', reasons: ['partial_effect'] },
    { class: 'COMPENSATION_REQUIRED', reasons: ['verification_failed'] },
  ],
  act(call, deps) {
    const tool = toolOf(call)
    const required = tool.contract.transactional.post_action_verification_required
    if (!required && tool.binding.verifier === undefined) return pass
    return judge(call).then((verification): Verdict => {
      switch (verification?.status) {
        case 'verified':
          return pass
        case 'partial':
          return stop('PARTIAL_SUCCESS', 'partial_effect', verification.message)
        case 'failed':
        case 'absent':
          return stop('COMPENSATION_REQUIRED', 'verification_failed', verification.message, {
            gives: asks(call, 'verification_failed', verification.message, deps),
          })
        case undefined: {
          const message = 'unverifiable: the effect could not be read back'
          const asked = required ? asks(call, 'unverifiable', message, deps) : {}
          return { kind: 'pass', gives: { ...asked, warnings: [...call.warnings, message] } }
        }
      }
    })
  },
}

const statuses: ReadonlySet<string> = new Set(['verified', 'partial', 'failed', 'absent'])

/** Undefined where nothing can verify, or the verifier itself fails: unknown is not failed. */
export async function judge(call: Call): Promise<Verification | undefined> {
  const tool = toolOf(call)
  try {
    const reading = tool.binding.verifier?.(typedInput(call), ownCopy(call.whole ?? null), verifierContext(call))
    const verification = await within(tool.contract.runtime.timeout_ms, reading)
    return verification !== undefined && statuses.has(verification.status) ? verification : undefined
  } catch {
    return undefined
  }
}
