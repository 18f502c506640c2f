// Reads the effect back, or says when it will be. An observation is evidence, not truth: what cannot be verified is said, and escalated
// where the class demands it.
import type { AdmittedCall } from '../../contract/call/stages.ts'
import type { VerificationReport } from '../../contract/verification/verification.ts'
import type { BoundVerification } from '../../contract/verification/verifier.ts'
import { nextWait, nothingToRead, scheduled } from '../../execute/verification/reports.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { JsonValue } from '../../json/value.ts'
import { escalated } from '../call/escalations.ts'
import { readEffect } from '../call/read-effect.ts'
import { bodyOf, isEscalated, targetReference, verificationOf } from '../call/verification-body.ts'
import type { Deps } from '../deps.ts'
import { type Act, type Gives, pass, passWith, stop, type Verdict } from '../phase.ts'

export type ReadGives = Gives<AdmittedCall, 'verification', 'escalations' | 'warnings'>

export const verify: Act<AdmittedCall, Partial<ReadGives>> = {
  name: 'verify',
  does: 'Reads the effect back from the world where the contract demands it or a verifier is bound; at once, or later as a durable job.',
  stopsWith: [
    { class: 'PARTIAL_SUCCESS', reasons: ['partial_effect'] },
    { class: 'COMPENSATION_REQUIRED', reasons: ['verification_failed'] },
  ],
  act(call, deps) {
    const { tool } = call
    const plan = verificationOf(tool)
    if (plan === undefined) {
      if (!tool.contract.transactional.post_action_verification_required) return pass
      return verdictOf(call, nothingToRead(tool, targetReference(call, tool, [])), deps)
    }
    if (plan.delayMs > 0) {
      const due = (deps.clock.now() + plan.delayMs) as EpochMs
      return verdictOf(call, scheduled(tool, bodyOf(call, plan).target, due), deps)
    }
    return readNow(call, plan, deps)
  },
  keep: ({ verification }) => (verification === undefined ? undefined : (verification as unknown as JsonValue)),
}

async function readNow(call: AdmittedCall, plan: BoundVerification, deps: Deps): Promise<ReadVerdict> {
  const wait = nextWait(plan, 1)
  const next = wait === undefined ? undefined : ((deps.clock.now() + wait) as EpochMs)
  const body = bodyOf(call, plan)
  const { report } = await readEffect({ call, plan, body, reported: 'success', reads: 1, next, deps })
  return verdictOf(call, report, deps)
}

type ReadVerdict = Extract<Verdict<ReadGives>, { kind: 'pass' | 'stop' }>

/** What a report makes of the call, now or when it is read later. */
export function verdictOf(call: AdmittedCall, report: VerificationReport, deps: Deps): ReadVerdict {
  const follows = consequencesOf(call, report)
  const gives: ReadGives = {
    verification: report,
    ...(follows.escalates === undefined ? {} : escalated(call, follows.escalates, follows.message, deps)),
    ...(follows.warning === undefined ? {} : { warnings: [...call.warnings, follows.warning] }),
  }
  if (follows.stops === undefined) return passWith(gives)
  return follows.stops === 'PARTIAL_SUCCESS'
    ? stop('PARTIAL_SUCCESS', 'partial_effect', report.message, { gives })
    : stop('COMPENSATION_REQUIRED', 'verification_failed', report.message, { gives })
}

interface Consequences {
  readonly stops?: 'PARTIAL_SUCCESS' | 'COMPENSATION_REQUIRED'
  readonly escalates?: 'verification_failed' | 'unverifiable'
  readonly warning?: string
  readonly message: string
}

function consequencesOf(call: AdmittedCall, report: VerificationReport): Consequences {
  const { state, discrepancy, message, action } = report
  switch (state) {
    case 'VERIFIED':
      if (action !== 'revalidate_approval') return { message }
      return { message, warning: `approval_outdated: ${message}`, escalates: 'unverifiable' }
    // Undone meanwhile.
    case 'NOT_REQUIRED':
      return { message }
    case 'PENDING':
      return {
        message,
        warning: 'verification_pending: the effect is read back later; until then it counts as accepted',
      }
    case 'FAILED':
      if (discrepancy === 'partial_application') return { message, stops: 'PARTIAL_SUCCESS' }
      return { message, stops: 'COMPENSATION_REQUIRED', escalates: 'verification_failed' }
    default: {
      const warning = 'unverifiable: the effect could not be read back'
      return isEscalated(call.tool) ? { message: warning, warning, escalates: 'unverifiable' } : { message, warning }
    }
  }
}
